package corpus

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextLanguage is what a text seems to be written in, by its script and by the small
// words that every sentence of a language has.
type TextLanguage struct {
	Words   int     // that were looked at, in any script
	Script  string  // of most letters: Latin, Cyrillic, Han …; "" without letters
	Name    string  // of the language, in English; "" when none is clear
	Code    string  // of the language, in ISO 639-1
	Likely  string  // the code of the language that is likeliest, where none is clear
	Share   float64 // of the words that are function words of Name, 0 to 1
	English float64 // of the words that are English function words, 0 to 1
}

const (
	// languageSample is how much of a text is looked at, in bytes: parts of it from
	// the beginning to the end.
	languageSample = 64 << 10
	languageParts  = 8
	// leastWords is how many words a language needs to be clear.
	leastWords = 20
	// clearShare is how many of the words of a text in a language are its function
	// words, at least. English prose has 0.3 to 0.5, a list of names 0.02.
	clearShare = 0.12
)

// LanguageOf says what a text seems to be written in. It looks at 64 KiB of it.
func LanguageOf(text string) TextLanguage {
	var l TextLanguage
	scripts, hits, all := map[string]int{}, map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(withoutAddresses(sampleOf(text)), notLetter) {
		l.Words++
		n := utf8.RuneCountInString(word)
		script := scriptOf(word)
		n *= lettersOf[script]
		all += n
		scripts[script] += n
		if low := strings.ToLower(word); functionWords[low] != nil {
			hits[low]++
		}
	}
	counts := countLanguages(hits, l.Words)
	for script, n := range scripts {
		if 2*n > all {
			l.Script = script
		}
	}
	if l.Words == 0 {
		return l
	}
	share := func(i int) float64 { return float64(counts[i]) / float64(l.Words) }
	best := 0
	for i := range languages {
		if counts[i] > counts[best] {
			best = i
		}
	}
	l.English = share(0)
	if l.Words >= leastWords && share(best) >= clearShare {
		l.Name, l.Code, l.Share = languages[best].name, languages[best].code, share(best)
	}
	if of, ok := scriptLanguage[l.Script]; ok && l.Name == "" {
		l.Name, l.Code = of.name, of.code
	}
	l.Likely = cmp.Or(l.Code, likely(counts, best, l.Words))
	if l.Likely == "" && letters[l.Script] != nil {
		l.Likely = byLetters(l.Script, sampleOf(text))
	}
	return l
}

// countLanguages counts the function words of each language. A word counts for no more than it
// is frequent in any language, and a language of few different words is none: a table says one
// again and again.
func countLanguages(hits map[string]int, words int) []int {
	const mostShare, leastDifferent = 16, 4
	counts, different := make([]int, len(languages)), make([]int, len(languages))
	for word, n := range hits {
		for _, i := range functionWords[word] {
			counts[i] += min(n, max(words/mostShare, 2))
			different[i]++
		}
	}
	for i, n := range different {
		if n < leastDifferent {
			counts[i] = 0
		}
	}
	return counts
}

// likely returns the code of the language with most function words, if it has clearly more than
// any other one, and more than chance gives.
func likely(counts []int, best, words int) string {
	const least, leastShare = 5, 25
	if counts[best] < max(least, words/leastShare) {
		return ""
	}
	for i, n := range counts {
		if i != best && 3*n > 2*counts[best] {
			return ""
		}
	}
	return languages[best].code
}

// Foreign reports that the text is not English: it is clear that it is in another
// language or script.
func (l TextLanguage) Foreign() bool {
	return l.Script != "" && l.Script != "Latin" || l.Name != "" && l.Name != languages[0].name
}

// withoutAddresses takes URLs and the targets of links out of a text.
func withoutAddresses(text string) string {
	if !strings.Contains(text, "://") && !strings.Contains(text, "](") {
		return text
	}
	var kept strings.Builder
	for word := range strings.FieldsSeq(text) {
		if i := strings.Index(word, "]("); i >= 0 {
			word = word[:i]
		}
		if !strings.Contains(word, "://") {
			kept.WriteString(word)
			kept.WriteByte(' ')
		}
	}
	return kept.String()
}

// sampleOf returns parts of a text, in whole words.
func sampleOf(text string) string {
	if len(text) <= languageSample {
		return text
	}
	var sample strings.Builder
	const part = languageSample / languageParts
	step := (len(text) - part) / (languageParts - 1)
	for i := range languageParts {
		piece := text[i*step : i*step+part]
		if from := strings.IndexAny(piece, " \n"); from >= 0 {
			piece = piece[from:]
		}
		if to := strings.LastIndexAny(piece, " \n"); to >= 0 {
			piece = piece[:to]
		}
		sample.WriteString(piece)
		sample.WriteByte(' ')
	}
	return sample.String()
}

func notLetter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}

// scriptOf names the script of a word by its first letter.
func scriptOf(word string) string {
	for _, r := range word {
		if r < utf8.RuneSelf && unicode.IsLetter(r) {
			return "Latin"
		}
		for _, s := range scriptTables {
			if unicode.Is(s.table, r) {
				if s.name == "Han" && strings.ContainsFunc(word, isKana) {
					return "Kana" // Japanese has both
				}
				return s.name
			}
		}
	}
	return anotherScript
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }

// lettersOf says how many letters of an alphabet a character of a script stands for, about.
var lettersOf = func() map[string]int {
	const ofWords = 3
	of := map[string]int{anotherScript: 1}
	for _, s := range scriptTables {
		of[s.name] = 1
	}
	of["Han"], of["Kana"], of["Hangul"] = ofWords, ofWords, ofWords
	return of
}()

// anotherScript is one that is not told from others.
const anotherScript = "another script"

var scriptTables = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin},
	{"Cyrillic", unicode.Cyrillic},
	{"Greek", unicode.Greek},
	{"Han", unicode.Han},
	{"Kana", unicode.Hiragana},
	{"Kana", unicode.Katakana},
	{"Hangul", unicode.Hangul},
	{"Arabic", unicode.Arabic},
	{"Hebrew", unicode.Hebrew},
	{"Devanagari", unicode.Devanagari},
	{"Thai", unicode.Thai},
	{"Bengali", unicode.Bengali},
	{"Tamil", unicode.Tamil},
	{"Georgian", unicode.Georgian},
	{"Armenian", unicode.Armenian},
}

// scriptLanguage names the language of a script that is used for one.
var scriptLanguage = map[string]struct{ name, code string }{
	"Greek": {"Greek", "el"}, "Han": {"Chinese", "zh"}, "Kana": {"Japanese", "ja"}, "Hangul": {"Korean", "ko"}, "Hebrew": {"Hebrew", "he"}, "Thai": {"Thai", "th"},
	"Georgian": {"Georgian", "ka"}, "Armenian": {"Armenian", "hy"}, "Bengali": {"Bengali", "bn"}, "Tamil": {"Tamil", "ta"},
}

// languages are the ones that are told apart, by their most frequent function words.
// English is the first.
var languages = []struct{ name, code, words string }{
	{"English", "en", "the of and to in a is that it for was on are as with his they at be this from i have or by one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has her two him could been its who only after did are than our may you he my me"},
	{"German", "de", "der die das und in zu den ist von mit sich des auf für nicht ein eine dem im es auch als an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn ich wir kann keine dieser"},
	{"French", "fr", "le la les de des et à un une du en est que qui dans pour pas au il elle sur ne se ce plus par je avec tout nous sa ou sont mais son leur cette été aux être ont même comme lui vous ils d'une n'est c'est qu'il l'on ses ces"},
	{"Spanish", "es", "el la los las de que y en un una ser se no por con su para como estar lo todo pero más hacer o este ya cuando él muy sin sobre también me hasta hay donde quien desde nos durante uno ni contra del al es son fue entre"},
	{"Italian", "it", "il lo la i gli le di che è e un una in non per si con del della dei delle da dal al alla sono come ma anche più nel nella questo questa ha era essere se suo sua ci o ne fu tra dalla degli alle l'altro c'è"},
	{"Portuguese", "pt", "o a os as de que e do da em um uma para é com não no na por mais dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era"},
	{"Dutch", "nl", "de het een en van in is dat op te zijn met die voor niet aan er om ook als dan maar bij uit nog naar door over ze hij werd wordt worden deze zich kan meer of heeft hebben tot geen wij ik je"},
	{"Swedish", "sv", "och i att det som en på är av för med den till inte om har de ett han men var jag sig från vi så kan när eller hon ut nu vid sin efter under också ska detta mot man alla"},
	{"Danish", "da", "og i at det som en på er af for med den til ikke om har de et han men var jeg sig fra vi så kan når eller hun ud nu ved sin efter også skal dette mod man alle blev være"},
	{"Finnish", "fi", "ja on ei se että oli hän mutta ovat joka kun niin kuin tai myös sen ole olla mitä sitä vain voi ollut jos jo nyt sekä hänen kanssa ennen jälkeen mukaan"},
	{"Polish", "pl", "i w na nie się z do że to jest jak o za od po co ale tak przez przy dla był oraz jego które który jako są może tym czy tego lub być już także jej ich"},
	{"Czech", "cs", "a se v na je že s z do to o k i ve pro by jako který jsou byl ale po jeho které nebo jak tak za při od si až už bylo také může mezi není"},
	{"Hungarian", "hu", "a az és hogy nem is egy ez meg volt de csak ha el már még mint azt vagy van ki lehet kell minden majd volna nagy után által pedig illetve amely"},
	{"Turkish", "tr", "ve bir bu da de için ile çok olarak daha gibi kadar ne en olan sonra ama o her mi ya var değil ki olduğu tarafından bunu şu ise"},
	{"Romanian", "ro", "și de la în a cu pe nu că este din care să un o pentru mai al ale se sau au fost prin după fi când sunt dar ce acest această lui"},
	{"Indonesian", "id", "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke karena tersebut bisa ada mereka lebih oleh telah sebagai adalah atau bahwa dapat"},
	{"Vietnamese", "vi", "và của là có cho không được một các trong người với này những để đã khi từ về ra như đến cũng tại hay vào"},
	{"Russian", "ru", "и в не на я что он с как это по но из у за то все она так его к а от же вы бы о мы для или если был они до было их при быть ее также может"},
	{"Ukrainian", "uk", "і в не на що та з як це до за у по але від він про для із або його вона які був який так й є ми було їх бути також може"},
	{"Bulgarian", "bg", "на и да за се от в не че с по са е това до като при има към съм ще беше или може бъде който която които след още само"},
	{"Arabic", "ar", "في من على أن إلى عن هذا التي الذي هذه كان ما لا هو مع كل بعد بين قد ذلك ولا أو كما لم هي"},
	{"Persian", "fa", "و در به از که این را با است برای آن یک خود تا کرد بر هم نیز می شد شده بود دارد یا ها"},
	{"Hindi", "hi", "के है में की से को और का पर ने यह हैं कि भी एक लिए हो इस कर था ही नहीं तो गया"},
}

// functionWords says which languages a word is a function word of.
var functionWords = func() map[string][]int {
	of := map[string][]int{}
	for i, l := range languages {
		seen := map[string]bool{}
		for word := range strings.FieldsSeq(l.words) {
			if !seen[word] {
				of[word] = append(of[word], i)
			}
			seen[word] = true
		}
	}
	return of
}()

// LanguageName returns what a language is called in English, by its code in ISO 639-1; "" when
// it is not known.
func LanguageName(code string) string {
	for _, l := range languages {
		if l.code == code {
			return l.name
		}
	}
	for _, l := range scriptLanguage {
		if l.code == code {
			return l.name
		}
	}
	return ""
}

// FunctionWords returns the most frequent small words of a language, by its code in ISO 639-1;
// none of one that is not known.
func FunctionWords(code string) map[string]bool {
	words := map[string]bool{}
	for _, l := range languages {
		if l.code != code {
			continue
		}
		for word := range strings.FieldsSeq(l.words) {
			words[word] = true
		}
	}
	return words
}
