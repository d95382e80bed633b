package relations

import (
	"cmp"
	"slices"
	"sync"
)

// Annotated is a sentence of which people have said what is in it.
type Annotated struct {
	Sentence
	// Kinds are of each mention; "-" for none, "" when nobody has said.
	Kinds []string
	// Stated are classes by pairs of places in Mentions, the first one smaller: a type, after
	// Backward when it goes from the later to the earlier one.
	Stated map[[2]int]string
	// Unsaid are pairs of which nobody knows: nothing is learned from them.
	Unsaid map[[2]int]bool
	// Group is the text that the sentence is of: what is learned from a text is never asked
	// of the same one.
	Group int
}

// parts is how many parts texts are cut into, to ask of each what the others teach.
const parts = 5

// Learn returns the model that explains the sentences. The same sentences give the same model.
// It asks of each part of the texts what the others teach, so that the model of the pairs sees
// kinds as wrong as they will be, and a probability is worth what it was there.
func Learn(sentences []Annotated) *Model {
	kinds := kindsByOthers(sentences)
	m := &Model{kinds: learnKinds(sentences, func(int) bool { return true })}
	answers := make([]answers, parts)
	var all sync.WaitGroup
	for p := range parts {
		all.Go(func() {
			part := &Model{relations: learnPairs(sentences, kinds, func(g int) bool { return g%parts != p })}
			for i := range sentences {
				if sentences[i].Group%parts == p {
					part.ask(&sentences[i], kinds[i], &answers[p])
				}
			}
		})
	}
	m.relations = learnPairs(sentences, kinds, func(int) bool { return true })
	all.Wait()
	for _, a := range answers[1:] {
		answers[0].class = append(answers[0].class, a.class...)
		answers[0].related = append(answers[0].related, a.related...)
	}
	m.sure, m.related = calibrate(answers[0].class), calibrate(answers[0].related)
	return m
}

// learnKinds learns of what kind mentions are, from the texts that take part.
func learnKinds(sentences []Annotated, takes func(group int) bool) *linear {
	var classes []string
	var examples []example
	for i := range sentences {
		s := &sentences[i]
		if !takes(s.Group) {
			continue
		}
		for j, m := range s.Mentions {
			if s.Kinds[j] != "" {
				examples = append(examples, example{s.ofKind(m, nil), classOf(&classes, s.Kinds[j])})
			}
		}
	}
	return learn(classes, examples, 0.1)
}

// learnPairs learns what pairs are to each other, from the texts that take part.
func learnPairs(sentences []Annotated, kinds [][]string, takes func(group int) bool) *linear {
	classes := []string{none}
	var examples []example
	for i := range sentences {
		s := &sentences[i]
		if !takes(s.Group) {
			continue
		}
		s.pairs(func(a, b int) {
			if s.Unsaid[[2]int{a, b}] || kinds[i][a] == none || kinds[i][b] == none {
				return
			}
			class := none
			if c := s.Stated[[2]int{a, b}]; c != "" {
				class = c
			}
			examples = append(examples, example{s.ofPair(a, b, kinds[i], nil), classOf(&classes, class)})
		})
	}
	return learn(classes, examples, 0.4)
}

// classOf returns the place of a class, which is added when it is new.
func classOf(classes *[]string, class string) int {
	if i := slices.Index(*classes, class); i >= 0 {
		return i
	}
	*classes = append(*classes, class)
	return len(*classes) - 1
}

// judged is what a model said, and whether people say so too.
type judged struct {
	probability float64
	right       bool
}

// answers are what a model said of pairs: what they are to each other, and that they are anything.
type answers struct{ class, related []judged }

// ask asks m of each pair of s, and adds what it says.
func (m *Model) ask(s *Annotated, kinds []string, out *answers) {
	scores := make([]float64, len(m.relations.Classes))
	s.pairs(func(a, b int) {
		if s.Unsaid[[2]int{a, b}] || kinds[a] == none || kinds[b] == none {
			return
		}
		m.relations.score(s.ofPair(a, b, kinds, nil), scores)
		stated := s.Stated[[2]int{a, b}]
		for i, p := range scores[1:] {
			if p >= leastAsked || i == best(scores[1:]) {
				out.class = append(out.class, judged{p, m.relations.Classes[i+1] == stated})
			}
		}
		out.related = append(out.related, judged{1 - scores[0], stated != ""})
	})
}

// leastAsked is the probability from which a class takes part in the calibration; what rules have
// read may have a smaller one than the best.
const leastAsked = 0.1

// leastInBlock is how many answers a knot of the curve stands for at least.
const leastInBlock = 60

// calibrate returns how often what was said with a probability is right, rising (isotonic
// regression by pooling adjacent violators: Ayer and others, An Empirical Distribution Function
// for Sampling with Incomplete Information, 1955).
func calibrate(asked []judged) []knot {
	slices.SortStableFunc(asked, func(a, b judged) int { return cmp.Compare(a.probability, b.probability) })
	type block struct{ sum, right, n float64 }
	var blocks []block
	for i := 0; i < len(asked); i += leastInBlock {
		var b block
		for _, j := range asked[i:min(i+leastInBlock, len(asked))] {
			b.sum += j.probability
			b.n++
			if j.right {
				b.right++
			}
		}
		blocks = append(blocks, b)
		for len(blocks) > 1 {
			x, y := blocks[len(blocks)-2], blocks[len(blocks)-1]
			if x.right/x.n < y.right/y.n {
				break
			}
			blocks = append(blocks[:len(blocks)-2], block{x.sum + y.sum, x.right + y.right, x.n + y.n})
		}
	}
	var out []knot
	for _, b := range blocks {
		out = append(out, knot{b.sum / b.n, b.right / b.n})
	}
	return out
}

// kindsByOthers returns the kinds of all mentions, by what the other parts of the texts teach.
func kindsByOthers(sentences []Annotated) [][]string {
	out := make([][]string, len(sentences))
	for p := range parts {
		m := &Model{kinds: learnKinds(sentences, func(g int) bool { return g%parts != p })}
		for i := 0; i < len(sentences); {
			from, group := i, sentences[i].Group
			var text []*Sentence
			for ; i < len(sentences) && sentences[i].Group == group; i++ {
				text = append(text, &sentences[i].Sentence)
			}
			if group%parts == p {
				copy(out[from:i], m.Kinds(text))
			}
		}
	}
	return out
}
