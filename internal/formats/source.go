package formats

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// maxSourceBytes is the largest source file that is read.
	maxSourceBytes = 4 << 20
	// maxLexedBytes is the largest one in a language that no scanner reads. A lexer tries its
	// rules one after the other: of brackets that never close it reads less than a MB in some
	// seconds, where a scanner reads many MB of anything.
	maxLexedBytes = 1 << 20
)

// languages are the programming languages that are told by the name of a file, as
// long as its content looks like code.
var languages = []string{
	"Ada", "Bash", "C", "C#", "C++", "Clojure", "CoffeeScript", "Common Lisp", "Crystal", "D", "Dart", "Elixir", "Elm", "EmacsLisp", "Erlang",
	"F#", "Fortran", "GDScript", "Go", "Groovy", "Haskell", "HCL", "Java", "JavaScript", "Julia", "Kotlin", "Lua", "MySQL", "Nim", "Nix", "Objective-C",
	"OCaml", "Perl", "PHP", "PowerShell", "Prolog", "Protocol Buffer", "Python", "Python 2", "R", "react", "Ruby", "Rust", "Scala", "Scheme",
	"Solidity", "SQL", "Swift", "SystemVerilog", "Tcl", "Terraform", "TypeScript", "VHDL", "vue", "Zig",
}

// signatures are what files of a language have that bear no name: two of them tell
// the language.
var signatures = []struct {
	language string
	patterns []*regexp.Regexp
}{
	{"Go", patterns(`^package \w+$`, `^import (?:\(|")`, `^func (?:\(\w+ \*?\w+(?:\[\w+\])?\) )?\w+\(`)},
	{"Python", patterns(`^(?:from [\w.]+ )?import [\w.]+`, `^\s*def \w+\(.*\).*:$`, `^class \w+.*:$`, `^if __name__ == `)},
	{"Rust", patterns(`^use \w+(?:::\w+)+`, `^\s*(?:pub )?fn \w+`, `^\s*let mut `, `^\s*impl(?:<.*>)? \w+`)},
	{"C", patterns(`^#include [<"]`, `^#define \w+`, `^(?:static |extern )?\w+ \**\w+\(.*\)\s*\{?$`)},
	{"Java", patterns(`^package [\w.]+;`, `^import (?:static )?[\w.]+(?:\.\*)?;`, `^public (?:final |abstract )?(?:class|interface|enum|record) `)},
	{"JavaScript", patterns(`^(?:import|export) .*(?:from ['"]|\{|function|const|default)`, `^(?:async )?function \w+\(`, `\brequire\(['"]`, `^(?:const|let|var) \w+ = `)},
	{"PHP", patterns(`^<\?php`, `\$\w+ = `, `function \w+\(`)},
	{"Ruby", patterns(`^require ['"]`, `^\s*def \w+`, `^\s*end$`)},
}

func patterns(list ...string) []*regexp.Regexp {
	var compiled []*regexp.Regexp
	for _, p := range list {
		compiled = append(compiled, regexp.MustCompile("(?m)"+p))
	}
	return compiled
}

// interpreters are the languages of the programs that the first line of a script
// names.
var interpreters = map[string]string{
	"sh": "Bash", "bash": "Bash", "zsh": "Bash", "dash": "Bash", "python": "Python", "python3": "Python", "node": "JavaScript", "ruby": "Ruby",
	"perl": "Perl", "php": "PHP", "lua": "Lua", "Rscript": "R",
}

// sourceLanguage returns the programming language of a text, or "" when it is not
// source code.
func sourceLanguage(text []byte, filename string) string {
	const head = 64 << 10
	sample := string(text[:min(len(text), head)])
	if language := interpreterOf(sample); language != "" {
		return language
	}
	if !looksLikeCode(sample) {
		return ""
	}
	if base := path.Base(strings.ReplaceAll(filename, `\`, "/")); path.Ext(base) != "" {
		if lexer := lexers.Match(base); lexer != nil && slices.Contains(languages, lexer.Config().Name) {
			return strings.TrimPrefix(lexer.Config().Name, "My") // names do not tell the kinds of SQL
		}
	}
	if hasProse(sample) {
		return ""
	}
	for _, s := range signatures {
		found := 0
		for _, p := range s.patterns {
			if p.MatchString(sample) {
				found++
			}
		}
		if found >= 2 {
			return s.language
		}
	}
	return ""
}

func interpreterOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return ""
	}
	for word := range strings.FieldsSeq(line[2:]) {
		if language := interpreters[path.Base(word)]; language != "" {
			return language
		}
	}
	return ""
}

// codeLine is a line that prose has none of: with the marks of a statement, or of a
// comment.
var codeLine = regexp.MustCompile(`^\s*(?://|/\*|\*|#|--|;;|%|"""|'''|@\w|<\?|end\b)|[{};]\s*$|\w\(.*\)|[=<>]=| :?= |->|=>|^\s*(?:def|func|fn|class|import|use|package|return|else|if|for|while|let|var|const|type)\b.*[:({;"'.]?$`)

// hasProse reports a text of which a tenth of the lines or more are sentences: it is about code, and
// none.
func hasProse(text string) bool {
	const part = 10
	lines, prose := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		if isProse(line) {
			prose++
		}
	}
	return part*prose >= lines
}

// isProse reports a line of many words, nearly all of them of letters, that is no comment.
func isProse(line string) bool {
	const least = 8
	if first := line[0]; strings.IndexByte("/*#;-%\"'`+", first) >= 0 || strings.ContainsAny(line, "{}=") || strings.HasSuffix(line, ";") {
		return false
	}
	words, plain := 0, 0
	for word := range strings.FieldsSeq(line) {
		words++
		if !strings.ContainsFunc(strings.Trim(word, ".,:;!?()\"'`*_-"), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' }) {
			plain++
		}
	}
	return words >= least && 10*plain >= 8*words
}

// looksLikeCode reports whether about half of the lines of a text are code.
func looksLikeCode(text string) bool {
	lines, code := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if codeLine.MatchString(line[:min(len(line), 400)]) {
			code++
		}
	}
	return lines >= 2 && 100*code >= 45*lines
}

// readSource makes Markdown of source code: its comments as text, below the names of
// what is declared after them.
func readSource(ctx context.Context, text, language string) (corpus.DocumentText, error) {
	s, most := syntaxOf(language), maxSourceBytes
	if s == nil {
		most = maxLexedBytes
	}
	if len(text) > most {
		return corpus.DocumentText{}, malformed("The source file in %s has %s; at most %s are read. Split it into smaller ones, or name it as a text.", language, corpus.HumanSize(len(text)), corpus.HumanSize(most))
	}
	d := corpus.DocumentText{
		Markup:   corpus.ContentMarkdown,
		Warnings: []string{"It is source code (" + language + "): its comments are read, and the names of what it declares"},
	}
	var err error
	if s != nil {
		d.Text, err = scanned(ctx, text, s)
	} else {
		d.Text, err = lexed(ctx, text, language)
	}
	d.Text = strings.TrimSpace(d.Text)
	return d, err
}
