package formats

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// rtfLeftOut are destinations whose text is none of the document: pictures and data, entries of
// an index, what is written twice.
var rtfLeftOut = map[string]bool{
	"colortbl": true, "info": true, "pict": true, "xe": true, "tc": true, "tcn": true, "rxe": true, "txe": true,
	"nonshppict": true, "shprslt": true, "sp": true, "ftnsep": true, "ftnsepc": true, "ftncn": true,
	"aftnsep": true, "aftnsepc": true, "aftncn": true, "template": true, "filetbl": true, "private": true, "nonesttables": true,
	"objclass": true, "objname": true, "objdata": true, "bkmkstart": true, "bkmkend": true, "listtable": true, "listoverridetable": true,
	"revtbl": true, "rsidtbl": true, "themedata": true, "colorschememapping": true, "datastore": true, "latentstyles": true, "mmathPict": true,
	"atnid": true, "atnref": true, "atndate": true, "atnparent": true, "generator": true,
}

// rtfKnown are the destinations with a star that are read.
var rtfKnown = map[string]bool{"shpinst": true, "shptxt": true, "do": true, "dptxbxtext": true, "ud": true, "annotation": true, "atnauthor": true, "footnote": true, "moMath": true, "moMathPara": true, "shpgrp": true}

// destination takes the first word of a group, and reports whether it said what the group is
// for.
func (r *rtf) destination(word string) bool {
	if r.state.into != rtfText {
		return false
	}
	switch word {
	case "listtext", "pntext": // before the words that say which paragraph it is, or after them
		if n := len(r.groups); n > 0 {
			r.groups[n-1].listed = true
		}
		r.number, r.state.into = "", rtfNumber
		return true
	case "fonttbl":
		r.state.into = rtfFonts
		return true
	case "stylesheet":
		r.state.into = rtfStyles
		return true
	case "fldinst":
		r.field, r.state.into = nil, rtfField
		return true
	case "fldrslt":
		if r.state.symbol {
			r.state.into = rtfNothing
			return true
		}
	case "atnauthor":
		r.author, r.state.into = nil, rtfAuthor
		return true
	case "upr": // what is said is said once more in Unicode
		r.state.into = rtfNothing
		return true
	}
	if r.aside(word) || r.mathElement(word) {
		return true
	}
	if rtfLeftOut[word] || r.state.star && !rtfKnown[word] {
		r.state.into = rtfNothing
		return true
	}
	return false
}

// aside takes the first word of a group that stands after the paragraph, or in the margin of the
// page, and reports whether it does.
func (r *rtf) aside(word string) bool {
	switch word {
	case "footnote":
		r.push("Footnote")
	case "annotation":
		label := "Comment"
		if len(r.author) > 0 {
			label += " (" + oneLine(decodePage(r.author, r.page)) + ")"
		}
		r.push(label)
		r.author = nil
	case "shptxt", "dptxbxtext":
		r.push("")
	case "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		if len(r.outer) > 0 { // a margin in a note is none
			r.state.into = rtfNothing
		} else {
			r.push("")
			r.markMargin()
		}
	default:
		return false
	}
	return true
}

// push begins what stands after the paragraph, until the group ends.
func (r *rtf) push(label string) {
	if r.state.deleted {
		r.state.into = rtfNothing
		return
	}
	if len(r.outer) >= maxAside {
		return
	}
	r.outer = append(r.outer, rtfOuter{prose: r.prose, label: label, number: r.number})
	r.prose, r.number = &prose{}, ""
	r.state.ends, r.state.inTable, r.state.listed, r.state.level = true, false, false, 0
}

func (r *rtf) pop() {
	r.flush()
	n := len(r.outer) - 1
	text, o := strings.TrimSpace(r.finish()), r.outer[n]
	if o.label != "" {
		text = oneLine(text)
	}
	r.prose, r.number, r.outer = o.prose, o.number, r.outer[:n]
	if o.margin {
		r.margins.add(text)
		return
	}
	r.add(o.label, text)
}

// markMargin has what was begun last be a header or a footer.
func (r *rtf) markMargin() {
	if n := len(r.outer); n > 0 && r.state.ends {
		r.outer[n-1].margin = true
	}
}

// rtfCharacters are the words that stand for text.
var rtfCharacters = map[string]string{
	"tab": " ", "line": " ", "lbr": " ", "emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": " ",
	"emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}

// apply does what a control word says.
func (r *rtf) apply(word string, value int, has bool) {
	if text := rtfCharacters[word]; text != "" {
		r.write(text)
		return
	}
	on := !has || value != 0
	switch word {
	case "u":
		r.unicode(value)
	case "uc":
		r.state.skips = min(max(value, 0), 16)
	case "ud":
		r.state.into = rtfText
	case "ansicpg":
		r.page = value
	case "mac":
		r.page = pageMac
	case "pc":
		r.page = 437
	case "pca":
		r.page = 850
	case "f":
		r.state.font = value
	case "fcharset":
		if page := pageOfCharset(value); r.state.into == rtfFonts && page != 0 {
			r.fonts[r.state.font] = page
		}
	case "cpg":
		if r.state.into == rtfFonts {
			r.fonts[r.state.font] = value
		}
	case "ftnalt":
		if n := len(r.outer); n > 0 && r.outer[n-1].label == "Footnote" {
			r.outer[n-1].label = "Endnote"
		}
	case "deleted", "htmlrtf": // the second is what a page in rich text repeats of itself
		r.state.deleted = on
	case "super":
		r.state.raised = on
	case "nosupersub", "sub":
		r.state.raised = false
	case "plain":
		r.state.deleted, r.state.raised = false, false
	default:
		r.paragraphWord(word, value)
	}
}

// paragraphWord does what a word says about paragraphs, tables and styles.
func (r *rtf) paragraphWord(word string, value int) {
	if r.state.into == rtfNothing {
		return
	}
	switch word {
	case "pard":
		r.state.inTable, r.state.listed, r.state.level = false, false, 0
	case "intbl":
		r.state.inTable = true
	case "ls":
		r.state.listed = true
	case "outlinelevel":
		r.outline(value)
	case "s":
		if r.style.number = value; r.state.into == rtfText {
			r.state.level = r.styles[value]
		}
	case "par", "sect", "page", "nestrow":
		r.endLine()
	case "cell":
		r.inCells()
		r.endParagraph()
		r.number = ""
		r.endCell()
		r.cells = append(r.cells, "")
	case "row":
		r.endTableRow()
	}
}

func (r *rtf) outline(level int) {
	const levels = 6
	if level < 0 || level >= levels {
		return
	}
	if r.state.into == rtfStyles {
		r.style.level = level + 1
		return
	}
	r.state.level = level + 1
}

// endLine ends a paragraph, which may be in the cell of a table.
func (r *rtf) endLine() {
	if r.state.into != rtfText {
		return
	}
	if r.state.inTable {
		r.inCells()
	} else if len(r.cells) > 0 {
		r.endTableRow()
	}
	r.level, r.listed = r.state.level, r.state.listed
	r.numberHeading()
	r.endParagraph()
}

// numberHeading writes the number of a heading before it, which others refer to. A bullet is none.
func (r *rtf) numberHeading() {
	number, text := strings.TrimSpace(r.number), r.paragraph.String()
	r.number = ""
	if r.level == 0 || strings.TrimSpace(text) == "" || strings.IndexFunc(number, func(c rune) bool { return unicode.In(c, unicode.L, unicode.N) }) < 0 {
		return
	}
	r.paragraph.Reset()
	r.paragraph.WriteString(number + " " + text)
}

// inCells begins a row, unless one is open.
func (r *rtf) inCells() {
	if len(r.cells) == 0 {
		r.tables, r.cells = 1, []string{""}
	}
}

func (r *rtf) endTableRow() {
	if len(r.cells) == 0 {
		return
	}
	r.endCell()
	if n := len(r.cells) - 1; r.cells[n] == "" {
		r.cells = r.cells[:n]
	}
	r.endRow(false)
	r.tables, r.cells = 0, nil
}

// symbolField is a field that is a character of the font of symbols.
var symbolField = regexp.MustCompile(`^\s*SYMBOL\s+(\d+)\s.*\\f\s+"?Symbol"?(?:\s|$)`)

// endField writes the character that a field is. Other fields are what stands behind them.
func (r *rtf) endField() {
	m := symbolField.FindSubmatch(r.field)
	r.field = nil
	if m == nil {
		return
	}
	if n, err := strconv.ParseUint(string(m[1]), 10, 8); err == nil {
		r.write(decodePage([]byte{byte(n)}, pageSymbol))
		r.state.symbol = true
	}
}

// declare ends the declaration of a style.
func (r *rtf) declare() {
	level := headingLevel(oneLine(string(r.style.name)))
	if level == 0 {
		level = r.style.level
	}
	r.styles[r.style.number] = level
	r.style = rtfStyle{}
}

// unicode takes a unit of UTF-16; characters for programs that do not know it follow.
func (r *rtf) unicode(value int) {
	unit := rune(uint16(value))
	r.flush()
	r.ignore = r.state.skips
	switch {
	case utf16.IsSurrogate(unit) && r.high == 0:
		r.high = unit
		return
	case r.high != 0:
		unit = utf16.DecodeRune(r.high, unit)
	}
	r.high = 0
	if unit >= 0xF000 && unit <= 0xF0FF { // of a font of symbols
		r.write(decodePage([]byte{byte(unit)}, pageSymbol))
		return
	}
	r.write(string(unit))
}
