package answers

import "strings"

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
	way  form
}{
	{KindNumber, way("how ", `(?i)\bhow (?:many|much|far|tall|old|long(?: (?:is|was|are|were|did|does|do|has|have|had|it|ago|would|will|can))?|large|big|high|deep|wide|often|fast|heavy|thick|hot|cold|close|late)\b`)},
	{KindNumber, way("what|which", `(?i)\b(?:what|which) (?:is the |was the |are the |were the )?(?:\w+ ){0,2}?(?:percentage|percent|number|amount|population|fraction|proportion|share|ratio|length|height|width|depth|distance|speed|temperature|price|cost|age|total|size|rate|weight|average)\b`)},
	{KindDate, way("when|what|which", `(?i)\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|years|date|day|month|century|decade|time|era|season|period)s?\b|\bsince when\b|\bwhat was the (?:date|year)\b`)},
	{KindPlace, way("where|what|which", `(?i)\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|cities|country|countries|state|states|place|places|location|continent|region|town|village|province|county|nation|nations|island|district|area|areas|river|lake|ocean|sea|street)\b`)},
	{KindPerson, way("who", `(?i)\b(?:who|whom|whose)\b`)},
	{KindReason, way("why|reason|cause", `(?i)\bwhy\b|\bfor what reason\b|\bwhat (?:caused|causes|is the (?:reason|cause)|was the (?:reason|cause))\b`)},
	{KindName, way("which|name|called|known as|term", `(?i)\bwhich\b|\bwhat (?:is|was|are|were) (?:the |its |his |her |their )?names? (?:of|for)\b|\bwhat\b.*\b(?:called|named|known as|term|nickname)\b`)},
	{KindNumber, way("wie|cu|combien|quant|сколько|多|几|幾", `(?i)\b(?:wie ?viele?|wie (?:groß|hoch|lange|weit|alt|oft|schnell|tief|schwer)|cu[aá]nt[oa]s?|combien|quanti|quante|quanto|quantos|quantas)\b|сколько|多少|几个|幾個|多大|多高|多长|多远|几年|几次`)},
	{KindDate, way("wann|welche|cu|qué |que |quand|année|che anno|que ano|когда|何|什么时候|年|月|天", `(?i)\b(?:wann|(?:in )?welche[mns]? (?:jahr|tag|monat|jahrhundert|datum)|cu[aá]ndo|(?:en )?qu[eé] (?:año|fecha|día|mes|siglo)|quand|en quelle année|quando|in che anno|em que ano)(?:\s|$|\?)|когда|何时|何時|什么时候|哪一?年|几月|哪一?天`)},
	{KindPlace, way("wo|welche|onde|ónde|qué|que|où|dove|где|куда|哪|何", `(?i)\b(?:wo|woher|wohin|(?:in )?welche[mnrs]? (?:stadt|land|staat|ort|region)|d[oó]nde|(?:en )?qu[eé] (?:ciudad|país|lugar|estado|región)|où|dove|onde)(?:\s|$|\?)|где|куда|哪里|哪裡|哪儿|何处|何地|哪个(?:国家|城市|地方)|在哪`)},
	{KindPerson, way("wer|wem|wen|wessen|qui|chi|quem|кто|谁|誰|哪", `(?i)\b(?:wer|wem|wen|wessen|qui[eé]n(?:es)?|qui|chi|quem)(?:\s|$|\?)|(?:^|\s)кто\s|谁|誰|哪位`)},
	{KindReason, way("warum|weshalb|wieso|por qu|pourquoi|perché|почему|зачем|为|為", `(?i)\b(?:warum|weshalb|wieso|por qu[eé]|pourquoi|perché|por que)(?:\s|$|\?)|почему|зачем|为什么|為什麼|为何`)},
	{KindName, way("welche|cu|quel|qual|quai|какой|какая|哪", `(?i)\b(?:welche[mnrs]?|cu[aá]l(?:es)?|quelle?s?|quale|quali|qual|quais)(?:\s|$|\?)|какой|какая|哪个|哪种|哪些|哪一`)},
	{KindName, way("what", `(?i)\b(?:what|whatever) \w+`)},
}

// notNamed are the words behind "what" that ask for no name.
var notNamed = set("is are was were do does did has have had can could will would should must may might if happens happened makes made causes caused about")

// Expected returns what kind of thing answers a question.
func Expected(question string) Kind {
	q := strings.Join(strings.Fields(question), " ")
	if len(q) > 2000 {
		q = strings.ToValidUTF8(q[:2000], "")
	}
	best, at, low := KindOther, len(q)+1, strings.ToLower(q)
	for i, e := range expecting {
		if at == 0 {
			break // nothing stands before that
		}
		if !e.way.mayBe(low) {
			continue
		}
		found := e.way.regexp().FindStringIndex(q)
		if found == nil || found[0] >= at || found[0] > 0 && joins(q, q[found[0]:found[1]]) {
			continue
		}
		if i == len(expecting)-1 && notNamed[strings.ToLower(strings.Fields(q[found[0]:found[1]])[1])] {
			continue
		}
		best, at = e.kind, found[0]
	}
	return best
}

// joins reports whether "when" or "where" within a question joins a clause to it: "what happens
// when …".
func joins(question, word string) bool {
	switch strings.ToLower(word) {
	case "when", "where":
		first, _, _ := strings.Cut(strings.ToLower(question), " ")
		return small(first) && !strings.HasSuffix(strings.TrimRight(question, "?？ "), word)
	}
	return false
}
