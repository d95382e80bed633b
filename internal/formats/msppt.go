package formats

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// The records of a presentation.
const (
	pptDocument   = 1000
	pptSlide      = 1006
	pptNotes      = 1008
	pptSlideList  = 4080
	pptPersist    = 1011 // what follows belongs to the next slide
	pptTextHeader = 3999 // what kind of text follows
	pptChars      = 4000 // UTF-16
	pptBytes      = 4008 // its lower bytes
	pptDirectory  = 6002 // where containers are
	pptComment    = 12000
	pptCString    = 4026
	pptMargins    = 4057 // what stands in the margins of slides
	pptMarginAtom = 4058 // which of it is shown

	pptHeader    = 8 // bytes of a record before its content
	pptContainer = 15
	maxPPTDepth  = 32
)

// readPPT makes Markdown of a presentation of PowerPoint 97 to 2003: each slide is a section
// with its title, its texts and its notes.
func readPPT(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	const save = "Open it in PowerPoint or LibreOffice and save it as .pptx"
	container, err := openOLE(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	user := container.stream("Current User")
	const crypted, token = 0xF3D1C4DF, 12
	if len(user) > token+4 && binary.LittleEndian.Uint32(user[token:]) == crypted {
		return corpus.DocumentText{}, malformed("The presentation is encrypted: remove its password first. %s.", save)
	}
	p := msppt{text: container.stream("PowerPoint Document")}
	if err := p.read(ctx); err != nil {
		return corpus.DocumentText{}, err
	}
	d := corpus.DocumentText{Text: p.out.String(), Markup: corpus.ContentMarkdown, Warnings: container.cutShort()}
	if p.out.Len() == 0 {
		return d, malformed("No slides with text were found in the presentation. %s.", save)
	}
	return p.margins.after(d), nil
}

// msppt is a presentation that is being read.
type msppt struct {
	text   []byte
	out    strings.Builder
	places map[uint32]int // containers, by the numbers that refer to them

	slides []pptSlideText // in their order
	byID   map[uint32]int // numbers of slides, by their identifiers

	margins pageMargins
}

// pptSlideText is what a slide says.
type pptSlideText struct {
	persist      uint32
	title        string
	texts, notes []string
}

// pptRecord is a record: content is what it holds.
type pptRecord struct {
	kind     int
	instance int
	isList   bool // of records
	content  []byte
}

// record reads the record that text begins with; ok is false where there is none.
func record(text []byte) (r pptRecord, rest []byte, ok bool) {
	if len(text) < pptHeader {
		return r, nil, false
	}
	version := binary.LittleEndian.Uint16(text)
	n := min(int(binary.LittleEndian.Uint32(text[4:])), len(text)-pptHeader)
	r = pptRecord{kind: int(binary.LittleEndian.Uint16(text[2:])), instance: int(version >> 4), isList: version&15 == pptContainer, content: text[pptHeader : pptHeader+n]}
	return r, text[pptHeader+n:], true
}

// walk calls f with the records in text, and with those in them unless f says that it has read
// them.
func walk(text []byte, depth int, f func(pptRecord) (done bool)) {
	for depth < maxPPTDepth {
		r, rest, ok := record(text)
		if !ok {
			return
		}
		if !f(r) && r.isList {
			walk(r.content, depth+1, f)
		}
		text = rest
	}
}

// read reads the slides in the order of the list that the document has of them.
func (p *msppt) read(ctx context.Context) error {
	p.byID = map[uint32]int{}
	p.findPlaces()
	var documents []pptRecord
	for rest := p.text; ; {
		r, next, ok := record(rest)
		if !ok {
			break
		}
		if r.kind == pptDocument {
			documents = append(documents, r)
		}
		rest = next
	}
	if len(documents) == 0 {
		return malformed("The presentation is broken, or of PowerPoint 95 or older, whose format is not read. Open it in PowerPoint or LibreOffice and save it as .pptx.")
	}
	document := documents[len(documents)-1].content
	p.list(document)
	walk(document, 0, p.margin)
	for i := range p.slides {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.shapes(&p.slides[i])
		p.write(i+1, p.slides[i])
		if p.out.Len() > maxTextBytes {
			return tooLong()
		}
	}
	return nil
}

// findPlaces finds where the containers of slides are: the last of a number counts.
func (p *msppt) findPlaces() {
	p.places = map[uint32]int{}
	for rest := p.text; ; {
		r, next, ok := record(rest)
		if !ok {
			return
		}
		rest = next
		if r.kind != pptDirectory {
			continue
		}
		for list := r.content; len(list) >= 4; {
			head := binary.LittleEndian.Uint32(list)
			first, n := head&0xFFFFF, int(head>>20)
			list = list[4:]
			for i := 0; i < n && len(list) >= 4; i++ {
				p.places[first+uint32(i)] = int(binary.LittleEndian.Uint32(list))
				list = list[4:]
			}
		}
	}
}

// The instances of the lists of slides.
const (
	pptSlides    = 0
	pptListNotes = 2
)

// list reads the lists of slides, which have the text of their placeholders, and of notes.
func (p *msppt) list(document []byte) {
	walk(document, 0, func(r pptRecord) bool {
		if r.kind != pptSlideList {
			return false
		}
		if r.instance == pptSlides {
			p.slideList(r.content)
		}
		if r.instance == pptListNotes {
			p.notesList(r.content)
		}
		return true
	})
}

func (p *msppt) slideList(list []byte) {
	kind := -1
	walk(list, 0, func(r pptRecord) bool {
		const least = 16
		switch {
		case r.kind == pptPersist && len(r.content) >= least:
			p.byID[binary.LittleEndian.Uint32(r.content[12:])] = len(p.slides)
			p.slides = append(p.slides, pptSlideText{persist: binary.LittleEndian.Uint32(r.content)})
		case len(p.slides) > 0:
			p.slides[len(p.slides)-1].take(r, &kind)
		}
		return false
	})
}

// notesList reads the list of notes, which say of themselves to which slide they belong.
func (p *msppt) notesList(list []byte) {
	walk(list, 0, func(r pptRecord) bool {
		if r.kind != pptPersist || len(r.content) < 4 {
			return false
		}
		var notes pptSlideText
		of := uint32(0)
		kind := -1
		walk(p.container(binary.LittleEndian.Uint32(r.content), pptNotes), 0, func(r pptRecord) bool {
			const notesAtom = 1009
			if r.kind == notesAtom && len(r.content) >= 4 {
				of = binary.LittleEndian.Uint32(r.content)
			}
			notes.take(r, &kind)
			return false
		})
		if i, ok := p.byID[of]; ok {
			p.slides[i].notes = append(p.slides[i].notes, notes.texts...)
		}
		return false
	})
}

// container returns the content of a container of a kind, once: a number refers to it.
func (p *msppt) container(number uint32, kind int) []byte {
	at, ok := p.places[number]
	if !ok || at > len(p.text) {
		return nil
	}
	delete(p.places, number)
	r, _, ok := record(p.text[at:])
	if !ok || r.kind != kind {
		return nil
	}
	return r.content
}

// shapes reads the texts that are in the shapes of a slide, and not in the list.
func (p *msppt) shapes(s *pptSlideText) {
	kind := -1
	walk(p.container(s.persist, pptSlide), 0, func(r pptRecord) bool {
		if r.kind == pptComment {
			return s.comment(r.content)
		}
		if p.margin(r) {
			return true
		}
		s.take(r, &kind)
		return false
	})
}

// margin reads the header and the footer of slides, of notes or of one slide, if r has them and they are
// shown. Dates and numbers are none of the text.
func (p *msppt) margin(r pptRecord) bool {
	if r.kind != pptMargins {
		return false
	}
	const header, footer, headerShown, footerShown = 1, 2, 0x10, 0x20
	shown := uint16(0)
	walk(r.content, 0, func(r pptRecord) bool {
		switch {
		case r.kind == pptMarginAtom && len(r.content) >= 4:
			shown = binary.LittleEndian.Uint16(r.content[2:])
		case r.kind == pptCString && (r.instance == header && shown&headerShown != 0 || r.instance == footer && shown&footerShown != 0):
			p.margins.add(utf16Text(r.content))
		}
		return false
	})
	return true
}

// comment reads a comment: its author and its text.
func (s *pptSlideText) comment(content []byte) bool {
	var author, text string
	walk(content, 0, func(r pptRecord) bool {
		if r.kind == pptCString && r.instance == 0 {
			author = oneLine(utf16Text(r.content))
		}
		if r.kind == pptCString && r.instance == 1 {
			text = oneLine(utf16Text(r.content))
		}
		return false
	})
	label := "Comment"
	if author != "" {
		label += " (" + author + ")"
	}
	if text != "" {
		s.texts = append(s.texts, label+": "+text)
	}
	return true
}

// take takes a record of text; kind is that of the text that follows.
func (s *pptSlideText) take(r pptRecord, kind *int) {
	const title, center = 0, 6
	var text string
	switch r.kind {
	case pptTextHeader:
		*kind = -1
		if len(r.content) >= 4 {
			*kind = int(binary.LittleEndian.Uint32(r.content))
		}
		return
	case pptChars:
		text = utf16Text(r.content)
	case pptBytes:
		text = latin1(r.content)
	default:
		return
	}
	if (*kind == title || *kind == center) && s.title == "" {
		s.title = oneLine(strings.Map(spaces, text))
		return
	}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if line = oneLine(strings.Map(spaces, line)); line != "" && line != "*" {
			s.texts = append(s.texts, line)
		}
	}
}

// spaces makes a space of what breaks a line.
func spaces(r rune) rune {
	if r == '\v' || r == '\r' {
		return ' '
	}
	return r
}

// write writes the section of a slide.
func (p *msppt) write(number int, s pptSlideText) {
	p.out.WriteString(slideHeading(number, s.title))
	for _, text := range s.texts {
		p.out.WriteString(text + "\n\n")
	}
	if len(s.notes) > 0 {
		p.out.WriteString("Notes: " + strings.Join(s.notes, "\n\n") + "\n\n")
	}
}

// utf16Text decodes UTF-16.
func utf16Text(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return strings.TrimRight(decodeUnits(units), "\x00")
}

// latin1 decodes the lower bytes of UTF-16.
func latin1(b []byte) string { return decodePage(b, 28591) }
