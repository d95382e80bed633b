package english

import "strings"

// table is what the head of the table at hand says of its columns.
type table struct {
	block   int      // the last row that was read
	columns []column // of each cell of the head
}

// column is what the head of a column names.
type column struct {
	key string // of a class that its cells belong to; empty when it is none
	low string // the word of the head

	supposes bool // the cells below are cases, and no facts: "When", "Problem"
}

// kindColumns are heads of columns that say what the thing of the first column is.
const kindColumns = " type kind function class category role "

// noColumns are heads of columns that say what part a cell has in the table, not what it
// is.
const noColumns = " parameter symbol value default unit example problem remedy item constant setting option field meaning result note comment date pattern figure rule construct description "

// codeColumns are heads of columns in which an identifier says something else of the row:
// the "Server" where a test runs. Nobody who acts is an identifier.
const codeColumns = " server client worker user owner sender receiver caller reader writer "

// caseColumns are first words of heads of columns whose cells say what may happen.
const caseColumns = " when if whenever where case situation scenario problem trouble symptom risk threat question "

// header notes the columns of the head of a table.
func (r *reader) header() table {
	t := table{block: r.sentence.block}
	for _, cell := range r.cells() {
		c := column{}
		if cell[0] < cell[1] {
			c.low = r.sentence.tokens[cell[0]].low // "Who" is no phrase
			if c.low == "what" {
				c.low = r.sentence.tokens[cell[1]-1].low // "What it is", "What is in it"
			}
			c.supposes = strings.Contains(caseColumns, " "+r.sentence.tokens[cell[0]].low+" ")
		}
		if p := r.wholeCell(cell); p != nil {
			c.low = r.sentence.tokens[p.last-1].low
			if !p.plural && (!p.name || r.titledClass(p)) && p.generic == "" && !strings.Contains(noColumns, " "+c.low+" ") {
				c.key = p.key
			}
		}
		t.columns = append(t.columns, c)
	}
	return t
}

// titledClass reports a head that the tagger takes for a name because of its capital: a
// word of everyday English, or one that names classes.
func (r *reader) titledClass(p *phrase) bool {
	t := r.sentence.tokens[p.last-1]
	_, class := r.classes[t.low]
	return p.last-p.first == 1 && t.tag == posName && !isUpper(t.text) && (class || r.words.band(t.low) != bandRare)
}

// row reads a row of a table by the head of its columns: what stands in the column
// "Export" is an export.
func (r *reader) row(t *table) {
	if r.sentence.kind != blockRow || len(t.columns) == 0 || r.sentence.block != t.block+1 {
		return
	}
	t.block, r.columns = r.sentence.block, t.columns
	first := ""
	for k, cell := range r.cells() {
		p := r.wholeCell(cell)
		if k >= len(t.columns) || p == nil || p.key == "" || p.pronoun || r.denies(p) {
			continue
		}
		c := t.columns[k]
		if r.plainCode(p) {
			continue
		}
		switch {
		case k == 0 && p.plural && !p.name: // "dead rows" below "Alert": what it is about
			first = p.key
		case k == 0:
			first = p.key
			r.state(p.key, c.key, r.kindType(p.key), confidenceReduced)
		case first != "" && strings.Contains(kindColumns, " "+c.low+" ") && !p.name && !p.plural && r.isClass(p):
			r.state(first, p.key, r.kindType(first), confidenceReduced)
		case first != "" && (c.low == "cause" || c.low == "causes"):
			r.state(p.key, first, "CAUSES", confidenceReduced)
		case p.name && c.key != "" && !r.judgement(p) && (r.sentence.tokens[p.last-1].tag != posCode || !strings.Contains(codeColumns, " "+c.low+" ")):
			r.state(p.key, c.key, "INSTANTIATES", confidenceReduced)
		}
	}
}

// judgement reports a single adjective, which has a capital where a cell begins: "Unexplored".
func (r *reader) judgement(p *phrase) bool {
	last := r.sentence.tokens[p.last-1]
	return last.tag == posName && p.last-p.first == 1 && plainAdjective(last.low)
}

// supposedCells marks the items in cells that suppose, and in those behind a first cell that
// does: they say what happens then. Below a head that is not known any cell may.
func (r *reader) supposedCells(out []bool) {
	if r.sentence.kind != blockRow {
		return
	}
	cells := r.cells()
	cases := len(r.columns) > 0 && r.columns[0].supposes || r.clauseCell(cells[0])
	for k, cell := range cells {
		if k < len(r.columns) && !r.columns[k].supposes && !cases {
			continue
		}
		for i, it := range r.items {
			out[i] = out[i] || it.first >= cell[0] && it.first < cell[1]
		}
	}
}

// clauseCell reports whether the first cell of a row is a clause, as "The disk is full": it
// says when what stands beside it happens.
func (r *reader) clauseCell(cell [2]int) bool {
	for i := 1; i < len(r.items) && r.items[i].first < cell[1]; i++ {
		if r.kindOf(i) == itemVerb && r.items[i].verb.finite && r.kindOf(i-1) == itemPhrase && r.kindOf(i-2) != itemWh {
			return len(r.sentence.tokens) > cell[1]
		}
	}
	return false
}

// plainCode reports whether p is an identifier that is written like a word, such as the
// flag `--job`. Its concept would be that of the word: no job is a flag.
func (r *reader) plainCode(p *phrase) bool {
	return r.sentence.tokens[p.last-1].tag == posCode && p.last-p.first == 1 && strings.Trim(p.key, "abcdefghijklmnopqrstuvwxyz") == ""
}

// cells returns the tokens of each cell of a row.
func (r *reader) cells() [][2]int {
	var out [][2]int
	from := 0
	for i, t := range r.sentence.tokens {
		if t.kind == kindBreak {
			out = append(out, [2]int{from, i})
			from = i + 1
		}
	}
	return append(out, [2]int{from, len(r.sentence.tokens)})
}

// wholeCell returns the phrase that a cell is, what stands in brackets behind it apart,
// or nil.
func (r *reader) wholeCell(cell [2]int) *phrase {
	for k := range r.phrases {
		p := &r.phrases[k]
		if p.first < cell[0] {
			continue
		}
		if p.first != cell[0] || p.last > cell[1] {
			return nil
		}
		if rest := r.sentence.tokens[p.last:cell[1]]; len(rest) > 0 && rest[0].text != "(" {
			return nil
		}
		return p
	}
	return nil
}
