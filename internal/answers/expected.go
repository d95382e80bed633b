package answers

import (
	"regexp"
	"strings"
)

// Kind is what answers a question.
type Kind string

// The kinds of answers.
const (
	KindPerson Kind = "person" // or who acts like one
	KindPlace  Kind = "place"
	KindDate   Kind = "date"
	KindNumber Kind = "number" // with its unit
	KindName   Kind = "name"   // which of a kind
	KindReason Kind = "reason"
	KindOther  Kind = "other"
)

// exact reports whether a few words within a sentence are the answer.
func (k Kind) exact() bool { return k != KindReason && k != KindOther && k != "" }

// expecting are the words that ask for each kind, in the languages that are read; the first that a
// question has decides.
var expecting = []struct {
	kind Kind
	way  *regexp.Regexp
}{
	{KindNumber, regexp.MustCompile(`(?i)\bhow (?:many|much|far|tall|old|long(?: (?:is|was|are|were|did|does|do|has|have|had|it|ago|would|will|can))?|large|big|high|deep|wide|often|fast|heavy|thick|hot|cold|close|late)\b`)},
	{KindNumber, regexp.MustCompile(`(?i)\b(?:what|which) (?:is the |was the |are the |were the )?(?:\w+ ){0,2}?(?:percentage|percent|number|amount|population|fraction|proportion|share|ratio|length|height|width|depth|distance|speed|temperature|price|cost|age|total|size|rate|weight|average)\b`)},
	{KindDate, regexp.MustCompile(`(?i)\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|years|date|day|month|century|decade|time|era|season|period)s?\b|\bsince when\b|\bwhat was the (?:date|year)\b`)},
	{KindPlace, regexp.MustCompile(`(?i)\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|cities|country|countries|state|states|place|places|location|continent|region|town|village|province|county|nation|nations|island|district|area|areas|river|lake|ocean|sea|street)\b`)},
	{KindPerson, regexp.MustCompile(`(?i)\b(?:who|whom|whose)\b`)},
	{KindReason, regexp.MustCompile(`(?i)\bwhy\b|\bfor what reason\b|\bwhat (?:caused|causes|is the (?:reason|cause)|was the (?:reason|cause))\b`)},
	{KindName, regexp.MustCompile(`(?i)\bwhich\b|\bwhat (?:is|was|are|were) (?:the |its |his |her |their )?names? (?:of|for)\b|\bwhat\b.*\b(?:called|named|known as|term|nickname)\b`)},
	{KindNumber, regexp.MustCompile(`(?i)\b(?:wie ?viele?|wie (?:groß|hoch|lange|weit|alt|oft|schnell|tief|schwer)|cu[aá]nt[oa]s?|combien|quanti|quante|quanto|quantos|quantas)\b|сколько|多少|几个|幾個|多大|多高|多长|多远|几年|几次`)},
	{KindDate, regexp.MustCompile(`(?i)\b(?:wann|(?:in )?welche[mns]? (?:jahr|tag|monat|jahrhundert|datum)|cu[aá]ndo|(?:en )?qu[eé] (?:año|fecha|día|mes|siglo)|quand|en quelle année|quando|in che anno|em que ano)(?:\s|$|\?)|когда|何时|何時|什么时候|哪一?年|几月|哪一?天`)},
	{KindPlace, regexp.MustCompile(`(?i)\b(?:wo|woher|wohin|(?:in )?welche[mnrs]? (?:stadt|land|staat|ort|region)|d[oó]nde|(?:en )?qu[eé] (?:ciudad|país|lugar|estado|región)|où|dove|onde)(?:\s|$|\?)|где|куда|哪里|哪裡|哪儿|何处|何地|哪个(?:国家|城市|地方)|在哪`)},
	{KindPerson, regexp.MustCompile(`(?i)\b(?:wer|wem|wen|wessen|qui[eé]n(?:es)?|qui|chi|quem)(?:\s|$|\?)|(?:^|\s)кто\s|谁|誰|哪位`)},
	{KindReason, regexp.MustCompile(`(?i)\b(?:warum|weshalb|wieso|por qu[eé]|pourquoi|perché|por que)(?:\s|$|\?)|почему|зачем|为什么|為什麼|为何`)},
	{KindName, regexp.MustCompile(`(?i)\b(?:welche[mnrs]?|cu[aá]l(?:es)?|quelle?s?|quale|quali|qual|quais)(?:\s|$|\?)|какой|какая|哪个|哪种|哪些|哪一`)},
	{KindName, regexp.MustCompile(`(?i)\b(?:what|whatever) \w+`)},
}

// notNamed are the words behind "what" that ask for no name.
var notNamed = set("is are was were do does did has have had can could will would should must may might if happens happened makes made causes caused about")

// Expected returns what kind of thing answers a question.
func Expected(question string) Kind {
	q := strings.Join(strings.Fields(question), " ")
	if len(q) > 2000 {
		q = strings.ToValidUTF8(q[:2000], "")
	}
	best, at := KindOther, len(q)+1
	for i, e := range expecting {
		found := e.way.FindStringIndex(q)
		if found == nil || found[0] >= at {
			continue
		}
		if i == len(expecting)-1 && notNamed[strings.ToLower(strings.Fields(q[found[0]:found[1]])[1])] {
			continue
		}
		best, at = e.kind, found[0]
	}
	return best
}
