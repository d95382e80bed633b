package answers

import (
	"regexp"
	"strings"
)

// comparing are the ways to ask for two things beside each other.
var comparing = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bdifferen(?:ces?|t)\b(?:[^,.;]*?)\b(?:between|of) (.+?) (?:and|&|vs\.?|versus|or) (.+)$`),
	regexp.MustCompile(`(?i)^(?:please )?compare (.+?) (?:and|with|to|against|&|vs\.?|versus) (.+)$`),
	regexp.MustCompile(`(?i)\b(?:comparison|distinction) (?:between|of) (.+?) (?:and|with|to|vs\.?|versus) (.+)$`),
	regexp.MustCompile(`(?i)^how (?:do|does|is|are) (.+?) (?:differ(?:ent)?|compare[sd]?)(?: from| to| with)? (.+)$`),
	regexp.MustCompile(`(?i)^how (?:do|does) (.+?) and (.+?) (?:differ|compare)$`),
	regexp.MustCompile(`(?i)^(?:what about |which is better,? )?(.+?) (?:vs\.?|versus) (.+)$`),
	regexp.MustCompile(`(?i)\b(?:unterschied|unterschiede) zwischen (.+?) und (.+)$`),
	regexp.MustCompile(`(?i)^vergleiche (.+?) (?:und|mit) (.+)$`),
	regexp.MustCompile(`(?i)\bdiferencias?\b[^,.;]*? entre (.+?) y (.+)$`),
	regexp.MustCompile(`(?i)^compara (.+?) (?:y|con) (.+)$`),
	regexp.MustCompile(`(?i)\bdifférences?\b[^,.;]*? entre (.+?) et (.+)$`),
	regexp.MustCompile(`^(.+?)(?:和|与|與|跟)(.+?)(?:之间)?(?:的|有什么|有何)*(?:区别|區別|不同|差异|差別)(?:是什么|在哪里)?$`),
	regexp.MustCompile(`^比较(?:一下)?(.+?)(?:和|与|跟)(.+)$`),
}

// Comparison returns the two things that a question wants beside each other: "difference between
// A and B", "A vs B", "compare A with B".
func Comparison(question string) (a, b string, ok bool) { return pair(question, comparing) }

// relating are the ways to ask what joins two things.
var relating = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^how (?:do|does|did|is|are|was|were) (.+?) (?:relate|related|connect|connected|linked|link|tied)(?:ed|s)? (?:to|with) (.+)$`),
	regexp.MustCompile(`(?i)^how (?:do|are|were|is) (.+?) and (.+?) (?:relate|related|connect|connected|linked|tied)(?: to each other| together)?$`),
	regexp.MustCompile(`(?i)\b(?:relation(?:ship)?|connection|link|path)s?\b(?: is there)? (?:between|from|of) (.+?) (?:and|to|with) (.+)$`),
	regexp.MustCompile(`(?i)^what (?:does|do|did|has|have) (.+?) (?:to do|got to do|in common) with (.+)$`),
	regexp.MustCompile(`(?i)^what (?:connects|links|joins) (.+?) (?:and|to|with) (.+)$`),
	regexp.MustCompile(`(?i)^what (?:do|does|have) (.+?) and (.+?) have (?:in common|to do with each other)$`),
	regexp.MustCompile(`(?i)\b(?:zusammenhang|beziehung|verbindung) zwischen (.+?) und (.+)$`),
	regexp.MustCompile(`(?i)^wie (?:hängt|hängen|steht) (.+?) (?:mit|zu) (.+?)(?: zusammen)?$`),
	regexp.MustCompile(`(?i)\brelación\b[^,.;]*? entre (.+?) y (.+)$`),
	regexp.MustCompile(`(?i)^cómo se relacionan? (.+?) (?:y|con) (.+)$`),
	regexp.MustCompile(`^(.+?)(?:和|与|與|跟)(.+?)(?:之间)?(?:的|有什么|有何|是什么)*(?:关系|關係|联系)(?:是什么)?$`),
}

// Relation returns the two things whose connection a question asks for: "how does A relate to
// B", "what is the relationship between A and B".
func Relation(question string) (a, b string, ok bool) { return pair(question, relating) }

// pair returns the two terms of the first form that a question has.
func pair(question string, ways []*regexp.Regexp) (a, b string, ok bool) {
	q := plainQuestion(question)
	for _, way := range ways {
		if found := way.FindStringSubmatch(q); found != nil {
			a, b = plainTerm(found[1]), plainTerm(found[2])
			return a, b, a != "" && b != "" && DefinedKey(a) != DefinedKey(b)
		}
	}
	return "", "", false
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
