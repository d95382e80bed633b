package relations

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// features are what a model sees of a thing: hashes of what is so of it.
type features []uint32

// add adds what is so, told by its name and any words.
func (f *features) add(name string, words ...string) {
	h := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	for _, w := range words {
		h = (h ^ 0xff) * 16777619
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * 16777619
		}
	}
	*f = append(*f, h)
}

// shape writes a word by its kinds of letters: "McDonald" is "AaAa".
func shape(word string) string {
	out := make([]byte, 0, 8)
	for _, r := range word {
		var c byte
		switch {
		case unicode.IsUpper(r):
			c = 'A'
		case unicode.IsLower(r) || unicode.IsLetter(r):
			c = 'a'
		case unicode.IsDigit(r):
			c = '0'
		default:
			c = byte(min(r, 127))
		}
		if len(out) > 0 && out[len(out)-1] == c {
			continue
		}
		if len(out) == cap(out) {
			break
		}
		out = append(out, c)
	}
	return string(out)
}

// ending returns the last n letters of a word, or all of it.
func ending(word string, n int) string {
	i := len(word)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(word[:i])
		i -= size
	}
	return word[i:]
}

// ofKind returns what says of what kind a mention is: its words, their shapes, and what stands
// beside it.
func (s *Sentence) ofKind(m Mention, f features) features {
	name := s.nameOf(m)
	for i, w := range name {
		f.add("word", w)
		f.add("ending", ending(w, 3))
		if i > 0 {
			f.add("pair", name[i-1], w)
		}
	}
	last, first := name[len(name)-1], name[0]
	f.add("first", first)
	f.add("last", last)
	f.add("last ending", ending(last, 4))
	f.add("last ending", ending(last, 2))
	shapes := shape(first)
	if len(name) > 1 {
		shapes += " " + shape(last)
	}
	f.add("shapes", shapes)
	f.add("words", string(rune('0'+min(len(name), 6))))
	if m.Name != nil {
		f.add("stands", s.low(m.First))
		return f
	}
	before, before2, after, after2 := s.low(m.First-1), s.low(m.First-2), s.low(m.Last), s.low(m.Last+1)
	f.add("before", before)
	f.add("before 2", before2, before)
	f.add("after", after)
	f.add("after 2", after, after2)
	f.add("beside", before, after)
	return f
}

// distances are the borders of how far two mentions stand from each other, in words.
var distances = [...]int{0, 1, 2, 3, 5, 8, 13, 20}

// apart tells how far two mentions stand from each other.
func apart(words int) string {
	i := 0
	for i < len(distances) && words > distances[i] {
		i++
	}
	return string(rune('a' + i))
}

// ofPair returns what says which relationship mentions a and b, the later one, have.
func (s *Sentence) ofPair(a, b int, kinds []string, f features) features {
	x, y := s.Mentions[a], s.Mentions[b]
	both := kinds[a] + kinds[b]
	f.add("kinds", both)
	gap := y.First - x.Last
	f.add("apart", both, apart(gap))
	f.add("between", both, string(rune('0'+min(b-a-1, 5))))
	nx, ny := s.nameOf(x), s.nameOf(y)
	f.add("a last", kinds[b], nx[len(nx)-1])
	f.add("b last", kinds[a], ny[len(ny)-1])
	f.add("a ending", both, ending(nx[len(nx)-1], 3))
	f.add("b ending", both, ending(ny[len(ny)-1], 3))
	if rule := s.Ruled[[2]int{a, b}]; rule != "" {
		f.add("rule", rule)
		f.add("rule", rule, both)
		f.add("rule", rule, s.low(y.First-1))
	}
	f = s.ofGap(x, y, both, f)
	f = s.ofPath(a, b, kinds, f)
	for i := 1; i <= 3; i++ {
		f.add("before a", both, s.low(x.First-i))
		f.add("after b", both, s.low(y.Last-1+i))
	}
	f.add("before a 2", both, s.low(x.First-2), s.low(x.First-1))
	f.add("after b 2", both, s.low(y.Last), s.low(y.Last+1))
	f.add("open", both, s.low(0))
	return f
}

// ofGap adds what stands between two mentions.
func (s *Sentence) ofGap(x, y Mention, both string, f features) features {
	verb, whole := "", ""
	for i := x.Last; i < y.First; i++ {
		w := s.Words[i]
		f.add("in", both, w.Low)
		f.add("in", w.Low)
		f.add("in 2", both, s.low(i), s.low(i+1))
		if i+2 < y.First {
			f.add("in 3", s.low(i), s.low(i+1), s.low(i+2))
		}
		if len(whole) < 60 {
			whole += " " + w.Low
		}
		if w.Verb {
			verb = w.Low
			f.add("verb", both, verb, s.low(y.First-1))
		}
	}
	f.add("whole", both, whole)
	f.add("whole", whole)
	f.add("first", both, s.low(x.Last))
	f.add("last", both, s.low(y.First-1))
	f.add("last 2", both, s.low(y.First-2), s.low(y.First-1))
	f.add("first and last", both, s.low(x.Last), s.low(y.First-1))
	f.add("last verb", both, verb)
	// The words before the first of two names tell what both are: "between A and B".
	f.add("around", both, s.low(x.First-1), s.low(x.Last), s.low(y.First-1), s.low(y.Last))
	tags := make([]byte, 0, 12)
	for i := x.Last; i < y.First && len(tags) < 12; i++ {
		tags = append(tags, 'A'+s.Words[i].Tag)
	}
	f.add("tags", both, string(tags))
	return f
}

// ofPath adds what stands between two mentions without what only describes: of other mentions their
// kinds, and else verbs, nouns, prepositions and marks.
func (s *Sentence) ofPath(a, b int, kinds []string, f features) features {
	both := kinds[a] + kinds[b]
	var path []string
	next := a + 1
	for i := s.Mentions[a].Last; i < s.Mentions[b].First; i++ {
		if next < b && i == s.Mentions[next].First {
			path = append(path, kinds[next])
			i = s.Mentions[next].Last - 1
			next++
			continue
		}
		w := s.Words[i]
		if w.Verb || w.Noun {
			path = append(path, w.Stem)
			f.add("stem", both, w.Stem)
		} else if len(w.Low) <= 7 && w.Tag >= 14 {
			path = append(path, w.Low)
		}
	}
	n := len(path)
	if n <= 8 {
		f.add("path", both, strings.Join(path, " "))
		f.add("path", strings.Join(path, " "))
	}
	for i := range path {
		if i > 0 {
			f.add("path 2", both, path[i-1], path[i])
		}
		if i > 1 {
			f.add("path 3", path[i-2], path[i-1], path[i])
		}
	}
	if n > 1 {
		f.add("path ends", both, path[0], path[1], path[n-1])
		f.add("path ends", both, path[0], path[n-2], path[n-1])
	}
	return f
}
