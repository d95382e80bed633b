package formats

import "strings"

// syntax is what a scanner has to know about a language: where its comments and
// strings begin and end, and what declares a name.
type syntax struct {
	marks  []string // what begins a comment that ends with the line
	blocks []block  // comments that end with a mark
	quotes []quote  // strings; a longer mark stands before its beginning

	characters bool // ' stands around one character, or for something else
	commands   bool // comments may be for programs, like //go:build
	directives bool // lines that begin with # are for a preprocessor
	regexps    bool // / may begin a regular expression
	raw        bool // r#"…"# of Rust and R"x(…)x" of C++
	docstrings bool // a string of several lines that begins its line is documentation

	// declares are the words that stand before the name that they declare, written in
	// small letters. Of those that are false the name counts only before a brace or a
	// colon: they stand before names that are used, too.
	declares map[string]bool
	after    string // declares count only after this word, in any letters; "" is anywhere
	typed    bool   // functions are declared by a type, a name and what they take
	methods  bool   // functions of a class are declared by a name and what they take
}

// block is a comment that ends with a mark.
type block struct {
	open, end string
	nested    bool
}

// quote is a kind of string.
type quote struct {
	open, end string
	escapes   bool // a backslash stands before a mark that is meant
	doubled   bool // a mark that is meant stands twice
	lines     bool // the string may have several lines; others end with theirs
	nested    bool // ${…} in it holds code
}

func words(list string) map[string]bool {
	found := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		name, uses := strings.CutPrefix(w, "?")
		found[name] = !uses
	}
	return found
}

var (
	slashes      = []string{"//"}
	starred      = []block{{open: "/*", end: "*/"}}
	nestedStars  = []block{{open: "/*", end: "*/", nested: true}}
	doubleQuotes = quote{open: `"`, end: `"`, escapes: true}
	singleQuotes = quote{open: "'", end: "'", escapes: true}
	textBlock    = quote{open: `"""`, end: `"""`, escapes: true, lines: true}
	singleBlock  = quote{open: "'''", end: "'''", escapes: true, lines: true}
	template     = quote{open: "`", end: "`", escapes: true, lines: true, nested: true}
)

// syntaxes are the languages that a scanner reads. The others are left to a lexer, which
// knows more of them and is slower by a factor of about 80.
var syntaxes = map[string]*syntax{
	"C":          {marks: slashes, blocks: starred, quotes: []quote{doubleQuotes}, characters: true, directives: true, typed: true, declares: words("?struct ?union ?enum")},
	"C++":        {marks: slashes, blocks: starred, quotes: []quote{doubleQuotes}, characters: true, directives: true, raw: true, typed: true, methods: true, declares: words("?struct ?union ?enum ?class ?namespace")},
	"C#":         {marks: slashes, blocks: starred, quotes: []quote{textBlock, {open: `@"`, end: `"`, doubled: true, lines: true}, doubleQuotes}, characters: true, directives: true, typed: true, methods: true, declares: words("class struct interface enum record namespace")},
	"Dart":       {marks: slashes, blocks: nestedStars, quotes: []quote{textBlock, singleBlock, doubleQuotes, singleQuotes}, typed: true, methods: true, declares: words("class mixin enum extension")},
	"Go":         {marks: slashes, commands: true, blocks: starred, quotes: []quote{{open: "`", end: "`", lines: true}, doubleQuotes}, characters: true, declares: words("func type")},
	"Java":       {marks: slashes, blocks: starred, quotes: []quote{textBlock, doubleQuotes}, characters: true, typed: true, methods: true, declares: words("class interface enum record")},
	"JavaScript": {marks: slashes, blocks: starred, quotes: []quote{template, doubleQuotes, singleQuotes}, regexps: true, methods: true, declares: words("function class")},
	"Kotlin":     {marks: slashes, blocks: nestedStars, quotes: []quote{{open: `"""`, end: `"""`, lines: true}, doubleQuotes}, characters: true, declares: words("class interface object fun")},
	"Lua": {
		marks: []string{"--"}, blocks: []block{{open: "--[[", end: "]]"}, {open: "--[=[", end: "]=]"}, {open: "--[==[", end: "]==]"}},
		quotes: []quote{{open: "[[", end: "]]", lines: true}, {open: "[=[", end: "]=]", lines: true}, doubleQuotes, singleQuotes}, declares: words("function"),
	},
	"Protocol Buffer": {marks: slashes, blocks: starred, quotes: []quote{doubleQuotes, singleQuotes}, declares: words("message enum service rpc")},
	"Python":          {marks: []string{"#"}, quotes: []quote{textBlock, singleBlock, doubleQuotes, singleQuotes}, docstrings: true, declares: words("def class")},
	"Rust":            {marks: slashes, blocks: nestedStars, quotes: []quote{{open: `"`, end: `"`, escapes: true, lines: true}}, characters: true, raw: true, declares: words("fn struct enum trait type union macro")},
	"Scala":           {marks: slashes, blocks: nestedStars, quotes: []quote{{open: `"""`, end: `"""`, lines: true}, doubleQuotes}, characters: true, declares: words("def class object trait enum type")},
	"Solidity":        {marks: slashes, blocks: starred, quotes: []quote{doubleQuotes, singleQuotes}, declares: words("contract interface library function struct enum modifier event")},
	"SQL": {
		marks: []string{"--"}, blocks: nestedStars, quotes: []quote{{open: "'", end: "'", lines: true}, {open: `"`, end: `"`}},
		declares: words("table view function procedure type"), after: "create",
	},
	"Swift":      {marks: slashes, blocks: nestedStars, quotes: []quote{textBlock, doubleQuotes}, declares: words("func class struct enum protocol actor")},
	"TypeScript": {marks: slashes, blocks: starred, quotes: []quote{template, doubleQuotes, singleQuotes}, regexps: true, methods: true, declares: words("function class interface enum type namespace module")},
}

// syntaxOf returns the syntax of a language, or nil when a scanner does not read it.
func syntaxOf(language string) *syntax {
	if language == "Python 2" {
		language = "Python"
	}
	return syntaxes[language]
}

// noNames are words that stand where a name might, and are none.
var noNames = words(`if for while switch catch return sizeof when with synchronized lock using foreach do else try new throw throws case goto delete
	typeof await yield in is as and or not assert import package super this defined decltype alignas operator int char void float double long short
	unsigned signed bool auto const struct union enum class extends implements where var let static exists default from function`)

// statements are words that begin a statement: what stands behind is no declaration.
var statements = words(`return new else throw case goto delete sizeof typeof await yield in is as and or not assert import package`)

// holders are words before braces in which functions are declared.
var holders = words("class struct union interface namespace record extern mixin extension module")
