package formats

import "strings"

// prose writes Markdown while a document is read: headings, paragraphs, items of lists, the
// rows of tables, and what belongs to a paragraph and stands after it, such as its notes.
type prose struct {
	text      strings.Builder
	paragraph strings.Builder
	level     int      // of the heading that the paragraph is; 0 is none
	listed    bool     // the paragraph is an item of a list
	after     []string // what is written after the paragraph, or after the row that it is in

	tables int      // that are open
	cells  []string // of the row: the paragraphs of those that have ended, joined
	cell   []string // paragraphs of the last cell
	held   int      // bytes of paragraphs that are not in text yet
}

// maxAside is how deep what stands after a paragraph is within each other: notes of notes and
// boxes in boxes. What is deeper is written in its place. Each level copies what is in it.
const maxAside = 8

// check fails when the text is longer than is read.
func (p *prose) check() error {
	if max(p.text.Len(), p.held)+p.paragraph.Len() > maxTextBytes {
		return tooLong()
	}
	return nil
}

// add has a text stand after the paragraph, as one of its own: after a label, if there is one.
func (p *prose) add(label, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if label != "" {
		text = label + ": " + text
	}
	p.held += len(text)
	p.after = append(p.after, text)
}

// endParagraph writes the paragraph, or adds it to the cell that it is in.
func (p *prose) endParagraph() {
	text := strings.Join(strings.Fields(p.paragraph.String()), " ")
	level, listed := p.level, p.listed
	p.paragraph.Reset()
	p.level, p.listed = 0, false
	switch {
	case text == "":
	case len(p.cells) > 0:
		p.cell = append(p.cell, text)
		p.held += len(text) + 1
	case level > 0:
		p.write(strings.Repeat("#", level)+" ", text)
	case listed:
		p.write("- ", text)
	default:
		p.write("", text)
	}
	if len(p.cells) == 0 {
		p.writeAfter()
	}
}

// writeAfter writes what stands after a paragraph or a row.
func (p *prose) writeAfter() {
	for _, text := range p.after {
		p.held -= len(text)
		p.write("", text)
	}
	p.after = nil
}

func (p *prose) write(mark, text string) {
	if strings.Trim(text, "| ") == "" {
		return
	}
	p.text.WriteString(mark)
	p.text.WriteString(text)
	p.text.WriteString("\n\n")
}

func (p *prose) openTable() {
	p.endParagraph()
	p.tables++
}

// openCell begins a cell. Those of a table within another are paragraphs of its cell.
func (p *prose) openCell() {
	if p.tables == 1 {
		p.endCell()
		p.cells = append(p.cells, "")
	}
}

// endCell joins the paragraphs of the last cell.
func (p *prose) endCell() {
	if len(p.cell) > 0 {
		p.cells[len(p.cells)-1] = strings.Join(p.cell, " ")
		p.cell = p.cell[:0]
	}
}

// endRow writes a row of a table, unless it is within another one or was deleted.
func (p *prose) endRow(deleted bool) {
	if p.tables != 1 {
		return
	}
	p.endCell()
	for _, cell := range p.cells {
		p.held -= len(cell) + 1
	}
	p.held = max(p.held, 0)
	if !deleted {
		p.write("", strings.Join(p.cells, " | "))
	}
	p.cells = nil
	p.writeAfter()
}

func (p *prose) closeTable() {
	if p.tables > 0 {
		p.tables--
	}
}

// finish ends what is open, and returns the text.
func (p *prose) finish() string {
	p.endParagraph()
	if p.tables = min(p.tables, 1); p.tables == 1 {
		p.endRow(false)
	}
	return p.text.String()
}
