package answers

import "strings"

// comparing are the ways to ask for two things beside each other.
var comparing = []form{
	way("differen", `(?i)\bdifferen(?:ces?|t)\b(?:[^,.;]*?)\b(?:between|of) (.+?) (?:and|&|vs\.?|versus|or) (.+)$`),
	way("compare", `(?i)^(?:please )?compare (.+?) (?:and|with|to|against|&|vs\.?|versus) (.+)$`),
	way("comparison|distinction", `(?i)\b(?:comparison|distinction) (?:between|of) (.+?) (?:and|with|to|vs\.?|versus) (.+)$`),
	way("differ|compare", `(?i)^how (?:do|does|is|are) (.+?) (?:differ(?:ent)?|compare[sd]?)(?: from| to| with)? (.+)$`),
	way("differ|compare", `(?i)^how (?:do|does) (.+?) and (.+?) (?:differ|compare)$`),
	way("vs|versus", `(?i)^(?:what about |which is better,? )?(.+?) (?:vs\.?|versus) (.+)$`),
	way("unterschied", `(?i)\b(?:unterschied|unterschiede) zwischen (.+?) und (.+)$`),
	way("vergleich", `(?i)^vergleiche (.+?) (?:und|mit) (.+)$`),
	way("diferencia", `(?i)\bdiferencias?\b[^,.;]*? entre (.+?) y (.+)$`),
	way("compara", `(?i)^compara (.+?) (?:y|con) (.+)$`),
	way("différence", `(?i)\bdifférences?\b[^,.;]*? entre (.+?) et (.+)$`),
	way("区别|區別|不同|差", `^(.+?)(?:和|与|與|跟)(.+?)(?:之间)?(?:的|有什么|有何)*(?:区别|區別|不同|差异|差別)(?:是什么|在哪里)?$`),
	way("比较", `^比较(?:一下)?(.+?)(?:和|与|跟)(.+)$`),
}

// Comparison returns the two things that a question wants beside each other: "difference between
// A and B", "A vs B", "compare A with B".
func Comparison(question string) (a, b string, ok bool) { return pair(question, comparing) }

// relating are the ways to ask what joins two things.
var relating = []form{
	way("relate|connect|link|tied|tie", `(?i)^how (?:do|does|did|is|are|was|were) (.+?) (?:relate|related|connect|connected|linked|link|tied)(?:ed|s)? (?:to|with) (.+)$`),
	way("relate|connect|link|tied|tie", `(?i)^how (?:do|are|were|is) (.+?) and (.+?) (?:relate|related|connect|connected|linked|tied)(?: to each other| together)?$`),
	way("relation|connection|link|path", `(?i)\b(?:relation(?:ship)?|connection|link|path)s?\b(?: is there)? (?:between|from|of) (.+?) (?:and|to|with) (.+)$`),
	way("do with|in common", `(?i)^what (?:does|do|did|has|have) (.+?) (?:to do|got to do|in common) with (.+)$`),
	way("connects|links|joins", `(?i)^what (?:connects|links|joins) (.+?) (?:and|to|with) (.+)$`),
	way("in common|each other", `(?i)^what (?:do|does|have) (.+?) and (.+?) have (?:in common|to do with each other)$`),
	way("zusammenhang|beziehung|verbindung", `(?i)\b(?:zusammenhang|beziehung|verbindung) zwischen (.+?) und (.+)$`),
	way("wie h|wie s", `(?i)^wie (?:hängt|hängen|steht) (.+?) (?:mit|zu) (.+?)(?: zusammen)?$`),
	way("relaci", `(?i)\brelación\b[^,.;]*? entre (.+?) y (.+)$`),
	way("relacion", `(?i)^cómo se relacionan? (.+?) (?:y|con) (.+)$`),
	way("关系|關係|联系", `^(.+?)(?:和|与|與|跟)(.+?)(?:之间)?(?:的|有什么|有何|是什么)*(?:关系|關係|联系)(?:是什么)?$`),
}

// Relation returns the two things whose connection a question asks for: "how does A relate to
// B", "what is the relationship between A and B".
func Relation(question string) (a, b string, ok bool) { return pair(question, relating) }

// pair returns the two terms of the first form that a question has.
func pair(question string, ways []form) (a, b string, ok bool) {
	found := find(ways, plainQuestion(question))
	if found == nil {
		return "", "", false
	}
	a, b = plainTerm(found[1]), plainTerm(found[2])
	return a, b, a != "" && b != "" && DefinedKey(a) != DefinedKey(b)
}

// plainQuestion is a question without the white space and marks around it; "" for one that is
// longer than such a question is.
func plainQuestion(question string) string {
	q := strings.Trim(strings.Join(strings.Fields(question), " "), "?？!.。¿¡ ")
	if len(q) > 400 {
		return ""
	}
	return q
}
