package formats

import "strconv"

// The values of PDF that are looked at. Numbers are ints, or float64 with a fraction;
// strings are not kept.
type (
	pdfName string
	pdfRef  int // the number of the object; which generation it is does not matter
	pdfDict map[pdfName]any
	pdfWord string // something else, such as an operator
)

// maxPDFDepth is how deep arrays and dictionaries are nested in an object that is read.
const maxPDFDepth = 64

// pdfReader reads values of PDF one after the other. Of what is broken it makes the best:
// whether a file can be read is for PDFium to say.
type pdfReader struct {
	text []byte
	at   int
}

// value returns the next value, or nil at the end.
func (r *pdfReader) value(depth int) any {
	r.space()
	if r.at >= len(r.text) || depth > maxPDFDepth {
		return nil
	}
	switch b := r.text[r.at]; {
	case b == '/':
		return r.name()
	case b == '(':
		r.literal()
		return pdfWord("(")
	case b == '<' && r.next(1) == '<':
		r.at += 2
		return r.dict(depth)
	case b == '<':
		for r.at < len(r.text) && r.text[r.at] != '>' {
			r.at++
		}
		r.at++
		return pdfWord("<")
	case b == '[':
		r.at++
		return r.array(depth)
	case b == '>' && r.next(1) == '>':
		r.at += 2
		return pdfWord(">>")
	case isPDFDelimiter(b):
		r.at++
		return pdfWord(r.text[r.at-1 : r.at])
	}
	return r.number(r.word())
}

// number makes a number or a reference of a word that is one.
func (r *pdfReader) number(word string) any {
	n, err := strconv.Atoi(word)
	if err != nil {
		return pdfWord(word)
	}
	from := r.at
	r.space()
	if _, err := strconv.Atoi(r.word()); err == nil {
		r.space()
		if r.word() == "R" {
			return pdfRef(n)
		}
	}
	r.at = from
	return n
}

func (r *pdfReader) array(depth int) any {
	values := []any{}
	for {
		v := r.value(depth + 1)
		if v == nil || v == pdfWord("]") {
			return values
		}
		values = append(values, v)
	}
}

func (r *pdfReader) dict(depth int) any {
	d := pdfDict{}
	for {
		key := r.value(depth + 1)
		if key == nil || key == pdfWord(">>") {
			return d
		}
		name, ok := key.(pdfName)
		if !ok {
			continue
		}
		v := r.value(depth + 1)
		if v == nil || v == pdfWord(">>") {
			return d
		}
		d[name] = v
	}
}

// name reads a name. #41 in it is an A.
func (r *pdfReader) name() pdfName {
	r.at++
	name := []byte(r.word())
	out := name[:0]
	for i := 0; i < len(name); i++ {
		if name[i] == '#' && i+2 < len(name) {
			if b, err := strconv.ParseUint(string(name[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		out = append(out, name[i])
	}
	return pdfName(out)
}

// word returns what comes before the next white space or delimiter.
func (r *pdfReader) word() string {
	r.at = min(r.at, len(r.text)) // a mark may have been cut off
	from := r.at
	for r.at < len(r.text) && !isPDFSpace(r.text[r.at]) && !isPDFDelimiter(r.text[r.at]) {
		r.at++
	}
	return string(r.text[from:r.at])
}

// literal skips a string in parentheses, which may be nested.
func (r *pdfReader) literal() {
	for depth := 0; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				r.at++
				return
			}
		}
	}
}

// space skips white space and comments.
func (r *pdfReader) space() {
	for ; r.at < len(r.text); r.at++ {
		if r.text[r.at] == '%' {
			for r.at < len(r.text) && r.text[r.at] != '\n' && r.text[r.at] != '\r' {
				r.at++
			}
		} else if !isPDFSpace(r.text[r.at]) {
			return
		}
	}
}

func (r *pdfReader) next(n int) byte {
	if r.at+n < len(r.text) {
		return r.text[r.at+n]
	}
	return 0
}

func isPDFSpace(b byte) bool {
	return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == '\f' || b == 0
}

func isPDFDelimiter(b byte) bool {
	switch b {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}
