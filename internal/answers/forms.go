package answers

import "strings"

// forms are the words of a language that definitions are written with, in lower case.
type forms struct {
	copulas  map[string]bool // "is"
	articles map[string]bool // what a definition goes on with: "a"
	plurals  map[string]bool // copulas that need no article: "are"
	means    []string        // verbs that define: "refers to"
	empty    map[string]bool // what begins no term: "this"
	verbs    map[string]bool // what stands within no term: "has"
	also     []string        // what brings another name: "also called"
	not      map[string]bool // after the article: "same"
}

// set makes a set of the words of a line.
func set(line string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(line) {
		all[w] = true
	}
	return all
}

// languageForms are the forms of each language that is read, by its ISO 639-1 code. Chinese has
// rules of its own, as it has no spaces.
var languageForms = map[string]*forms{
	"en": {
		copulas:  set("is was are were"),
		articles: set("a an the one any"),
		plurals:  set("are"),
		means:    []string{"refers to", "refer to", "stands for", "stand for", "is short for", "denotes", "denote", "means", "is defined as", "are defined as", "describes", "represents", "consists of", "acts as", "lets you", "allows you to", "is designed to", "are designed to", "was designed to", "is intended to", "are intended to", "is meant to", "are meant to", "is used to", "are used to", "is used for", "are used for"},
		empty: set(`this that these those it its there here he she they we you i who which what when where why how if as while although
			though because since unless until after before during in on at for from by with without to of and or but so then thus
			hence however also all some most many much more each every both either neither no none nothing something anything
			everything another other others such one two three several few only just not today note see his her their our my your
			another whoever whatever doing being having according despite let please yes once another first second third next
			last finally overall perhaps maybe often sometimes usually generally another`),
		verbs: set(`has have had does do did can could will would shall should must may might is are was were be been being that which who
			whom whose when where while if because although though since but so then says said makes made gives gave takes took gets
			got became become becomes remains remained contains contained uses used includes included`),
		also: []string{"also known as", "also known under", "also called", "also spelled", "also written", "also", "or simply", "or", "known as", "called", "abbreviated as", "abbreviated to", "abbreviated", "abbr.", "short:", "short", "formerly", "formerly known as", "sometimes called", "sometimes also called", "commonly known as", "commonly called", "often called", "aka", "a.k.a.", "née", "better known as"},
		not: set(`same case reason problem lot bit few little must pity good bad great matter way result question point default main major
			key only most best worst key common important useful very more less similar different necessary possible necessary`),
	},
	"de": {
		copulas:  set("ist war sind waren"),
		articles: set("ein eine einer der die das"),
		plurals:  set("sind"),
		means:    []string{"bezeichnet", "bezeichnen", "bedeutet", "steht für", "heißt"},
		empty:    set("dies diese dieser dieses es er sie wir ihr ich man hier da dort wer was wenn als wie wo weil obwohl während in im an am auf für von mit ohne zu zum zur bei nach vor aus und oder aber auch alle jede jeder jedes kein keine so dann sein seine ihre eines einer darunter damit dabei daher zudem"),
		verbs:    set("hat haben hatte kann können wird werden wurde wurden soll muss darf ist war sind waren dass welche welcher welches wenn weil"),
		also:     []string{"auch bekannt als", "auch genannt", "auch", "kurz", "abgekürzt", "oder", "genannt", "eigentlich", "früher", "englisch"},
		not:      set("gleiche gute beste einzige wichtigste größte fall grund"),
	},
	"es": {
		copulas:  set("es era fue son eran"),
		articles: set("un una unos unas el la los las"),
		plurals:  set("son eran"),
		means:    []string{"se refiere a", "significa", "designa", "se define como"},
		empty:    set("este esta esto estos estas ese esa eso aquel él ella ello ellos lo aquí allí quien que cuando donde si como porque aunque en con sin por para de a y o pero también todo todos cada no su sus hoy según durante otro otra tal así"),
		verbs:    set("ha han había tiene tienen puede pueden será fue era es son que cual cuyo donde cuando si porque"),
		also:     []string{"también conocido como", "también conocida como", "también llamado", "también llamada", "también", "o simplemente", "o", "abreviado", "conocido como", "conocida como", "llamado", "llamada"},
		not:      set("mismo misma caso razón única único mejor peor"),
	},
	"fr": {
		copulas:  set("est était sont étaient fut"),
		articles: set("un une des le la les l'un"),
		plurals:  set("sont"),
		means:    []string{"désigne", "désignent", "signifie", "se réfère à"},
		empty:    set("ce cet cette ces c'est il elle ils elles on nous vous je ici là qui que quand où si comme parce en dans avec sans pour par de à et ou mais aussi tout tous chaque son sa ses leur tel"),
		verbs:    set("a ont avait peut peuvent sera est était sont que qui dont où quand si"),
		also:     []string{"aussi appelé", "aussi appelée", "également appelé", "également appelée", "aussi", "ou", "abrégé en", "abrégé", "dit", "dite"},
		not:      set("même cas raison seul seule meilleur"),
	},
	"it": {
		copulas:  set("è era sono erano fu"),
		articles: set("un una uno il la lo l' i gli le"),
		plurals:  set("sono"),
		means:    []string{"indica", "significa", "si riferisce a"},
		empty:    set("questo questa questi queste ciò esso essa lui lei loro qui lì chi che quando dove se come perché in con senza per da di a e o ma anche tutto ogni non suo sua"),
		verbs:    set("ha hanno aveva può possono sarà è era sono che cui quando se"),
		also:     []string{"anche detto", "anche detta", "detto anche", "detta anche", "anche", "o", "abbreviato", "noto come", "nota come"}, //nolint:misspell // it is Italian
		not:      set("stesso stessa caso motivo unico unica"),
	},
	"pt": {
		copulas:  set("é era foi são eram"),
		articles: set("um uma uns umas o a os as"),
		plurals:  set("são"),
		means:    []string{"refere-se a", "significa", "designa"},
		empty:    set("este esta isto esse essa isso aquele ele ela eles nós aqui ali quem que quando onde se como porque em com sem por para de a e ou mas também todo cada não seu sua"), //nolint:misspell // it is Portuguese
		verbs:    set("tem têm tinha pode podem será é era foi são que qual onde quando se"),
		also:     []string{"também conhecido como", "também conhecida como", "também chamado", "também chamada", "também", "ou", "abreviado", "conhecido como"},
		not:      set("mesmo mesma caso razão único única"),
	},
	"ru": {
		copulas:  set("— – - это"),
		articles: set("это вид род тип один одна"),
		means:    []string{"— это", "– это", "- это", "означает", "обозначает"},
		empty:    set("это этот эта эти он она оно они мы вы я здесь там кто что когда где если как потому в на с без для от до и или но также все каждый не его её их"),
		verbs:    set("был была были может могут будет что который которая которые если когда"),
		also:     []string{"также известный как", "также", "или", "сокращённо", "сокр.", "англ."},
	},
}

// formsOf returns the forms of a language; those of English when it is not known or not read.
func formsOf(language string) *forms {
	if f := languageForms[language]; f != nil {
		return f
	}
	return languageForms["en"]
}

// articles are those of all languages, of one word and those that stand before a term.
var articles = set("the a an der die das den dem des ein eine einen einem einer el la los las un una unos unas le les une il lo gli uno o os um uma uns umas")

// article reports whether a word in lower case is an article of a language that is read.
func article(w string) bool { return articles[w] }
