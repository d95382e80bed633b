package answers

import "strings"

// questionWords are the words that ask, by language. They tell the language of a question, which
// is mostly too short for anything else.
var questionWords = map[string]map[string]bool{
	"de": set("wer wen wem wessen wann wo woher wohin warum wieso weshalb wozu womit wodurch wofür wieviel wieviele welche welcher welches welchem welchen"),
	"es": set("qué quién quiénes cuándo cuánto cuánta cuántos cuántas dónde cuál cuáles cómo adónde"),
	"fr": set("qui quoi quand où combien pourquoi comment quel quelle quels quelles lequel laquelle lesquels qu'est-ce"),
	"it": set("chi quando dove quanto quanta quanti quante perché quale quali cosa"),
	"pt": set("quem quando onde quanto quanta quantos quantas porquê qual quais"),
	"ru": set("кто кого кому кем что чего чем когда где куда откуда почему зачем сколько какой какая какое какие каким какого как"),
	"ar": set("أين متى كيف لماذا ماذا كم هل أي ما من"),
	"tr": set("kim kimin ne neden nerede nereye nasıl hangi kaç niçin"),
	"pl": set("kto kogo co kiedy gdzie skąd dokąd dlaczego jak jaki jaka jakie ile który która które"),
	"nl": set("wie wat wanneer waar waarom hoeveel welke welk hoe"),
	"el": set("ποιος ποια ποιο ποιοι τι πότε πού πώς γιατί πόσο πόσα πόσοι πόσες"),
}

// Asking returns which words of a question, in lower case, only ask and hold it together, in the
// language whose word for asking is among its first three; none for a question of another form,
// and for an English one.
func Asking(question string) map[string]bool {
	all := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return strings.ContainsRune(" \t\n.,;:!?¿¡？؟«»„“”\"()", r) })
	for _, w := range all[:min(len(all), 3)] {
		for language, words := range questionWords {
			if !words[w] || shared[w] {
				continue
			}
			asking := map[string]bool{}
			f := languageForms[language]
			for _, w := range all {
				asking[w] = words[w] || f != nil && (f.copulas[w] || f.articles[w] || f.empty[w] || f.verbs[w])
			}
			return asking
		}
	}
	return nil
}

// shared are words that ask in several languages, or mean a thing in another one.
var shared = func() map[string]bool {
	known, more := map[string]bool{}, set("comment chi ne co kim jak ile wie wat")
	for _, words := range questionWords {
		for w := range words {
			if known[w] {
				more[w] = true
			}
			known[w] = true
		}
	}
	return more
}()
