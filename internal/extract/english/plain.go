package english

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// plainBlocks finds the prose of plain text: paragraphs between blank lines,
// list items, and short lines that stand alone like headings. Lines that are no
// language, signatures of mails and whatever stands between fences are left out.
func plainBlocks(raw string) []block {
	p := plainReader{raw: raw}
	fenced, signed := false, false
	for start := 0; start < len(raw); {
		end := start + len(raw[start:])
		if n := strings.IndexByte(raw[start:], '\n'); n >= 0 {
			end = start + n + 1
		}
		s := trim(raw, corpus.Span{Start: start, End: end})
		line := raw[s.Start:s.End]
		if line == "" {
			p.paragraph()
			signed = false
		}
		signed = signed || strings.TrimRight(raw[start:end], "\r\n") == signatureMark
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			p.flush()
		} else if !fenced && !signed {
			p.indented = s.Start-start >= 4
			p.line(line, s)
		}
		start = end
	}
	p.paragraph()
	return p.blocks
}

// signatureMark is the line before the signature of a mail (RFC 3676, 4.3).
const signatureMark = "-- "

// plainReader gathers lines into blocks.
type plainReader struct {
	raw    string
	blocks []block
	open   block // the block that the next line may continue
	width  int   // the longest line of the open block, in bytes
	since  int   // the first block after the last blank line
	prose  int   // lines of language since then
	other  int   // other lines since then

	indented bool // the line at hand is set in by four columns or more
}

// paragraph ends the open block at a blank line. Lines that look like language
// among more that do not are part of a program or a diagram and are dropped.
func (p *plainReader) paragraph() {
	p.flush()
	if p.other > 1 && p.other*2 >= p.prose {
		p.blocks = p.blocks[:p.since]
	}
	p.since, p.prose, p.other = len(p.blocks), 0, 0
}

// flush ends the open block.
func (p *plainReader) flush() {
	if len(p.open.segments) > 0 {
		p.blocks = append(p.blocks, p.open)
	}
	p.open, p.width = block{}, 0
}

// line adds one trimmed line.
func (p *plainReader) line(line string, s corpus.Span) {
	if strings.HasPrefix(line, "|") && strings.Count(line, "|") > 1 {
		p.flush()
		if r, ok := row(p.raw, s.Start, s.End); ok && !isRule(line) {
			p.blocks = append(p.blocks, r)
		} else if n := len(p.blocks); n > 0 && isRule(line) && p.blocks[n-1].kind == blockRow {
			p.blocks[n-1].header = n == 1 || p.blocks[n-2].kind != blockRow
		}
		return
	}
	if !isProse(line) || p.indented && p.other > 0 {
		if line != "" {
			p.other++
		}
		p.flush()
		return
	}
	p.prose++
	kind, skip := marker(line)
	s.Start += skip
	if s.Start >= s.End {
		return
	}
	if clause := skip > 0 && kind == blockParagraph && line[0] != '>'; clause || kind != blockParagraph || p.breaksBefore(line) {
		if kind == blockParagraph && p.numberedHeading() {
			p.open.kind = blockHeading
		}
		p.flush()
		p.open.kind = kind
	}
	p.open.segments = append(p.open.segments, s)
	p.width = max(p.width, s.End-s.Start)
	if kind == blockHeading {
		p.flush()
	}
}

// marker returns what the start of a line says about it and how many bytes the
// sign takes.
func marker(line string) (blockKind, int) {
	if n := run(line, '#'); n > 0 && n < 7 && n < len(line) && line[n] == ' ' {
		return blockHeading, n + 1
	}
	for _, bullet := range []string{"- ", "* ", "• ", "+ ", "– "} {
		if strings.HasPrefix(line, bullet) {
			return blockItem, len(bullet)
		}
	}
	digits := 0
	for digits < len(line) && digits < 4 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits > 0 && digits+1 < len(line) && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ' {
		return blockItem, digits + 2
	}
	if strings.HasPrefix(line, "> ") {
		return blockParagraph, 2
	}
	return blockParagraph, clauseNumber(line)
}

// clauseNumber returns how many bytes the number of a clause takes, as "2.1" before "The
// tenant", or 0.
func clauseNumber(line string) int {
	n, dots, digits := 0, 0, 0
	for n < len(line) && digits < 3 && (line[n] >= '0' && line[n] <= '9' || line[n] == '.') {
		digits++
		if line[n] == '.' {
			dots, digits = dots+1, 0
		}
		n++
	}
	if dots == 0 || dots > 4 || n+2 > len(line) || line[n] != ' ' || !opensSentence(line[n+1:]) {
		return 0
	}
	return n + 1
}

// opensSentence reports whether line starts with a capital letter, perhaps behind a
// quotation mark.
func opensSentence(line string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, "\"“'‘«"))
	return unicode.IsUpper(r)
}

// numberedHeading reports whether the open block is a short line such as "2. Duties of the
// tenant", which ends no sentence. What follows it is no item.
func (p *plainReader) numberedHeading() bool {
	if p.open.kind != blockItem || len(p.open.segments) != 1 {
		return false
	}
	s := p.open.segments[0]
	line := p.raw[s.Start:s.End]
	before := strings.TrimRight(p.raw[:s.Start], " ")
	return len(line) < 60 && opensSentence(line) && !strings.ContainsAny(line[len(line)-1:], ".!?:;,") && (strings.HasSuffix(before, ".") || strings.HasSuffix(before, ")"))
}

// breaksBefore reports whether line starts a block of its own rather than
// continuing a wrapped paragraph: the line before ended early, and this one
// starts like a sentence.
func (p *plainReader) breaksBefore(line string) bool {
	if len(p.open.segments) == 0 {
		return true
	}
	last := p.open.segments[len(p.open.segments)-1]
	before := p.raw[last.Start:last.End]
	if !opensSentence(line) {
		return false
	}
	if strings.ContainsAny(before[len(before)-1:], ".!?:") {
		return len(before)*5 < p.width*4 || len(before) > 160
	}
	return len(before) < 60 && len(before)*5 < max(p.width, 75)*4
}
