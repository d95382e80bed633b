package words

// Word is one word of a text. A part of a joined word follows the whole, and stands within it.
type Word struct {
	// Text is the word as it is compared: in lower case, of compatible forms (NFKD), without
	// accents, and without 's. Marks of Indic scripts and of Thai are letters there, and stay.
	Text string
	// Stem is the word without its English endings (Porter2), where the text is English; else
	// it is Text.
	Stem string
	// Start and End are the bytes of the text that it was cut from.
	Start, End int
}

// Text is a text that has been cut.
type Text struct {
	Words []Word
	// Sentences holds the index of the first word of each sentence. Items of lists, headings
	// and rows of tables are sentences.
	Sentences []int
}

// longest bounds the bytes of a word that are compared: what is longer is no word of a
// language, and its beginning stands for it.
const longest = 64

// Cut cuts a text into words. With english, stems are those of English. Bytes that are not
// UTF-8 are between words.
func Cut(text string, english bool) Text {
	c := cutter{text: text, forms: &foreignForms, sentence: true}
	if english {
		c.forms = &englishForms
	}
	c.out.Words = make([]Word, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		if b := text[i]; b < 0x80 {
			if ascii[b]&(letter|digit) != 0 {
				i = c.word(i)
			} else {
				i = c.between(i)
			}
			continue
		}
		r, size := decode(text, i)
		switch classOf(r) {
		case classWord:
			i = c.word(i)
		case classPair:
			i = c.pairs(i)
		case classTriple:
			i = c.triples(i)
		default:
			c.sentence = c.sentence || endsSentence(r)
			i += size
		}
	}
	return c.out
}

// cutter is at work on one text.
type cutter struct {
	text     string
	forms    *forms
	out      Text
	sentence bool   // the next word begins one
	parts    []span // of the word at hand
}

type span struct{ start, end int }

// add adds the word of these bytes, unless nothing of it is compared.
func (c *cutter) add(start, end int) {
	form := c.forms.of(c.text[start:end])
	if form.text == "" {
		return
	}
	if c.sentence {
		c.out.Sentences = append(c.out.Sentences, len(c.out.Words))
		c.sentence = false
	}
	c.out.Words = append(c.out.Words, Word{Text: form.text, Stem: form.stem, Start: start, End: end})
}

// word adds the word at i, with its parts, and returns where it ends.
func (c *cutter) word(i int) int {
	c.parts = c.parts[:0]
	start := i
	var end int
	for {
		end = c.run(i)
		c.parts = append(c.parts, span{i, end})
		if next := end + 1; next < len(c.text) && joins(c.text[end]) && c.isWord(next) {
			i = next
			continue
		}
		break
	}
	if n := plus(c.text, start, end); n > 0 {
		c.add(start, end+n)
		c.add(start, end)
		return end + n
	}
	if len(c.parts) > 1 && end-start <= longest {
		c.add(start, end)
	}
	for _, p := range c.parts {
		c.add(p.start, p.end)
		c.humps(p)
	}
	return end + possessive(c.text, end)
}

// run returns where the letters, digits and marks from i end. Digits keep what separates them.
func (c *cutter) run(i int) int {
	number := true
	for i < len(c.text) {
		b := c.text[i]
		if b >= 0x80 {
			r, size := decode(c.text, i)
			if class := classOf(r); class != classWord && class != classUnseen {
				return i
			}
			number = false
			i += size
			continue
		}
		switch {
		case ascii[b]&digit != 0:
		case ascii[b]&letter != 0:
			number = false
		case number && (b == '.' || b == ',' || b == ':') && i+1 < len(c.text) && ascii[c.text[i+1]&0x7f]&digit != 0 && c.text[i+1] < 0x80:
		default:
			return i
		}
		i++
	}
	return i
}

func (c *cutter) isWord(i int) bool {
	if b := c.text[i]; b < 0x80 {
		return ascii[b]&(letter|digit) != 0
	}
	r, _ := decode(c.text, i)
	return classOf(r) == classWord
}

// humps adds the parts of a word such as maxJobs or HTTPServer. Where one would be a single
// letter (iPhone, PhD), the word has no parts.
func (c *cutter) humps(p span) {
	if p.end-p.start < 4 || p.end-p.start > longest {
		return
	}
	s := c.text[p.start:p.end]
	at := nextHump(s, 0)
	if at == len(s) {
		return
	}
	for from := 0; from < len(s); {
		to := nextHump(s, from)
		if to-from < 2 {
			return
		}
		from = to
	}
	for from := 0; from < len(s); {
		to := nextHump(s, from)
		c.add(p.start+from, p.start+to)
		from = to
	}
}

// nextHump returns where the part of s that begins at from ends. Letters that are not ASCII
// have no case here.
func nextHump(s string, from int) int {
	for i := from + 1; i < len(s); i++ {
		if ascii[s[i]&0x7f]&upper == 0 || s[i] >= 0x80 {
			continue
		}
		if before := s[i-1]; before < 0x80 && ascii[before]&(letter|upper) == letter {
			return i
		}
		// The last capital of several begins the next part, except before the s of a plural.
		if i+1 < len(s) && ascii[s[i-1]&0x7f]&upper != 0 && ascii[s[i+1]&0x7f]&(letter|upper) == letter && s[i+1] < 0x80 && (s[i+1] != 's' || i+2 != len(s)) {
			return i
		}
	}
	return len(s)
}

// pairs adds the Chinese or Japanese characters from i by one and two, and returns where they
// end. A kana counts by itself only where it stands alone.
func (c *cutter) pairs(i int) int {
	before, first := -1, i
	for i < len(c.text) {
		r, size := decode(c.text, i)
		if classOf(r) != classPair {
			break
		}
		end := i + size + voiced(c.text, i+size)
		if before >= 0 {
			c.add(before, end)
		}
		if !kana(r) {
			c.add(i, end)
		}
		before, i = i, end
	}
	if r, _ := decode(c.text, first); before == first && kana(r) {
		c.add(first, i)
	}
	return i
}

// triples adds the characters from i by three, and returns where they end.
func (c *cutter) triples(i int) int {
	var first, second, third, count int // where the last three begin, and how many there were
	for i < len(c.text) {
		r, size := decode(c.text, i)
		if classOf(r) != classTriple {
			break
		}
		first, second, third = second, third, i
		i += size
		if count++; count >= 3 {
			c.add(first, i)
		}
	}
	switch count {
	case 1:
		c.add(third, i)
	case 2:
		c.add(second, i)
	}
	return i
}
