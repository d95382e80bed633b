package answers

import (
	"slices"
	"strings"
)

// asking are the ways to ask what something is, of all languages that are read. The first group
// is the term.
var asking = []form{
	way("what|who", `(?i)^(?:so |and |please |can you |could you )*(?:tell me )?(?:what|who)(?:'s|’s| is| are| was| were)(?: meant by| exactly)? (.+)$`),
	way("define|explain|describe", `(?i)^(?:please )?(?:define|explain|describe) (.+)$`),
	way("definition|meaning", `(?i)^(?:what(?:'s|’s| is) )?(?:the |a )?(?:definition|meaning) of (.+)$`),
	way("what d", `(?i)^what (?:does|do|did) (.+?) (?:mean|stand for|refer to)$`),
	way("do you mean", `(?i)^what do you mean by (.+)$`),
	way("tell me", `(?i)^(?:please )?tell me (?:about|what) (.+?)(?: (?:is|are|means))?$`),
	way("was |wer |waren", `(?i)^(?:und )?(?:was|wer) (?:ist|sind|war|waren)(?: eigentlich)? (.+)$`),
	way("bedeut|heißt|bezeichnet|steht", `(?i)^(?:was|wofür) (?:bedeutet|bedeuten|heißt|bezeichnet|steht) (.+?)$`),
	way("versteht", `(?i)^was versteht man unter (.+)$`),
	way("definier|erkläre|definition|bedeutung", `(?i)^(?:definiere|erkläre|definition von|definition des|bedeutung von) (.+)$`),
	way("qué|que|quién|quien", `(?i)^¿?(?:qué|que|quién|quien|quiénes) (?:es|son|era|eran|fue|fueron) (.+)$`),
	way("significa|decir", `(?i)^¿?(?:qué|que) (?:significa|quiere decir) (.+)$`),
	way("defin|explica|significado", `(?i)^(?:define|defina|explica|definición de|significado de) (.+)$`),
	way("est|quoi|qui |signifie|défini", `(?i)^(?:qu['’]est[- ]ce que?(?: c'est que?)?|c['’]est quoi|qui est|qui était|que signifie|définition de|définir) ?(.+)$`),
	way("cos|chi |significa|o que|quem", `(?i)^(?:(?:che )?cos['’]è|chi è|chi era|che cosa è|cosa significa|o que é|o que são|quem é|quem foi|o que significa) (.+)$`),
	way("что|кто", `(?i)^(?:что такое|кто такой|кто такая|что значит|что означает|что это) (.+)$`),
	way("是|什|何|谁|誰|解释|定义", `^(?:什么是|何谓|何為|什麼是|谁是|誰是|请解释|解释|定义)(.+)$`),
	way("是|定义|什么|とは", `^(.+?)(?:是什么意思|是什麼意思|是什么|是什麼|是谁|是誰|的定义|指的是什么|指什么|有什么含义|とは何ですか|とは|是何物)$`),
}

// relational are words that ask, with "of", for a fact about a thing, and not for what it is.
var relational = set(`name names number amount purpose difference differences capital population size length height age cause causes effect
	effects result reason role goal cost price date year color colour way ways advantage advantages type types kind kinds example
	percentage part parts function list origin location distance value total average most best only first last largest smallest
	difference main`)

// Asks reports whether a question asks what or who something is, and returns the term as it is
// written: "What is X?", "Who was X?", "define X", "what does X mean", "X?", and the same in other
// languages. It is false where a fact about a thing is asked for, as in "What is the capital of X?".
func Asks(question string) (term string, ok bool) {
	q := strings.Join(strings.Fields(question), " ")
	if len(q) > 300 {
		return "", false
	}
	q = strings.TrimRight(q, "?？!.。 ")
	if found := find(asking, q); found != nil {
		return askedTerm(found[1])
	}
	if all := strings.Fields(q); len(all) > 0 && len(all) <= 3 && !asksOtherwise(all) {
		return askedTerm(q)
	}
	return "", false
}

// askedTerm returns the term of a question, unless it is a description.
func askedTerm(s string) (term string, ok bool) {
	if name := strings.TrimSpace(strings.Trim(s, "`'\"“”")); strings.HasPrefix(name, "-") && option(name) {
		return name, true
	}
	term = plainTerm(s)
	all := strings.Fields(term)
	if len(all) == 0 {
		return "", false
	}
	en := languageForms["en"]
	first, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	kind := len(all) > 1 && (strings.EqualFold(first, "a") || strings.EqualFold(first, "an")) // "a here document"
	for i, w := range all {
		low := strings.ToLower(w)
		if i == 0 && (en.empty[low] && !kind && !acronym(w) || describes(all, low)) {
			return "", false
		}
		if i > 0 && (en.verbs[low] || low == "than" || low == "between") {
			return "", false
		}
	}
	return term, true
}

// describes reports whether the first word makes a description of what follows it: "capital of
// France", "used to treat water", and not "type affinity" or "shared library".
func describes(all []string, first string) bool {
	if capital(all[0]) || len(all) < 2 {
		return false
	}
	second := strings.ToLower(all[1])
	if strings.HasSuffix(first, "ed") {
		return second == "to" || second == "of" || within[second] || article(second)
	}
	if !relational[first] {
		return false
	}
	return superlative[first] || slices.ContainsFunc(all[1:], func(w string) bool { return w == "of" || within[w] })
}

// superlative are relational words that need nothing behind them.
var superlative = set("largest smallest most best only first last average total main")

// asksOtherwise reports whether one of a few words makes a question or a sentence of them.
func asksOtherwise(all []string) bool {
	for i, w := range all {
		low := strings.ToLower(strings.Trim(w, marks))
		if i == 0 && small(low) && !article(low) {
			return true
		}
		for _, f := range languageForms {
			if f.verbs[low] || f.copulas[low] || f.empty[low] && !capital(w) || f.empty[low] && len(all) == 1 {
				return true
			}
		}
	}
	return false
}
