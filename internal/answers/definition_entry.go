package answers

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
)

// leastProse is how many words explain a term, at least.
const leastProse = 3

// emptyHeading are the keys of headings and labels that name a part of a text and no thing.
var emptyHeading = keys(`introduction, overview, summary, abstract, background, conclusion, example, usage, use, note, notes, see also,
	synopsis, description, option, name, author, copyright, bug, reporting bug, history, file, environment, exit status, diagnostic,
	installation, install, configuration, contents, table of contents, reference, references, further reading, appendix, faq, question, answer, todo, warning, caution, important, tip, hint, error, input, output, result, default, type, value, parameter, argument, return, returns, requirement, prerequisite, getting started, quick start, tutorial, detail, remark, changelog, license, licence, acknowledgement, terminology, glossary, api, contact, index, preface, foreword, step, date, title, subject, from, to, cc, version, status, purpose, limitation, caveat, motivation, setting, command, method, etymology, definition, term, format, syntax, more information, figure, table, section, chapter, credit, resumen, introducción, ejemplo, nota, einleitung, überblick, beispiel, hinweis, achtung, zusammenfassung, siehe auch, 概述, 简介, 参见, 参考文献, 注意, 历史, the, e.g, i.e, ps, update, edit, source, page, url, e-mail, tel, phone, address, priority, severity, owner, cost, time, size, maintainer, package, architecture, section, homepage, depend, suggest, recommend, conflict, provide, replace, task, fix, problem, solution, reason, cause, effect, symptom, why, how, what, when, where, who`)

// keys makes a set of the keys of the terms between commas, when it is needed first.
func keys(terms string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for term := range strings.SplitSeq(terms, ",") {
			all[DefinedKey(strings.TrimSpace(term))] = true
		}
		return all
	})
}

// emptyLabel reports whether a heading or label names a part of a text and no thing.
func emptyLabel(s string) bool { return emptyHeading()[DefinedKey(s)] }

// glossHeads are heads of a second column that says what the first one is.
var glossHeads = keys("meaning, description, definition, explanation, what it is, what, note, comment, use, effect, purpose, means, what it does, bedeutung, beschreibung, significado, descripción, 说明, 描述, 含义, 定义")

// entry keeps the term of an entry of a glossary, "**X**: …", "`X` – …", "X — …", and reports
// whether the line is one. In prose only a term that is set off, or a dash, makes an entry.
func (d *definer) entry(line string, item bool) bool {
	if strings.HasPrefix(line, "[`") { // "[`Writable`][]: streams that …"
		line = withoutLinks(line)
	}
	term, rest, marked := setOff(line)
	if !marked {
		var dash bool
		if term, rest, dash = cutDash(line); !dash || !entryTerm(term) {
			if term, rest, dash = strings.Cut(line, ": "); !dash || !item || !(entryTerm(term) && label(term) || described(term, rest)) {
				return false
			}
		}
	} else {
		after := strings.TrimLeft(rest, " ")
		typed := false // "`name` {number} what it is"
		if end := strings.IndexByte(after, '}'); strings.HasPrefix(after, "{") && end > 0 {
			after, typed = strings.TrimSpace(after[end+1:]), true
			rest = " " + after
		}
		switch {
		case typed && after != "":
		case strings.HasSuffix(strings.TrimSpace(strings.TrimRight(term, "*_`")), ":"): // **X:** …
		case strings.HasPrefix(after, ":"), strings.HasPrefix(after, "– "), strings.HasPrefix(after, "— "), strings.HasPrefix(after, "- "):
			rest = after[1:]
		default:
			return false
		}
	}
	rest = strings.TrimLeft(rest, "-—–: \t")
	if _, overview := cutWords(rest, "overview of"); overview || !capital(rest) && repeats(rest, term) {
		return false // "SAVEPOINT - define a new savepoint" says what it does, with the word itself
	}
	if len(strings.Fields(rest)) < leastProse && !hanFirst(rest) || emptyLabel(term) || !d.isTerm(strings.Trim(term, "*_`: ")) {
		return false
	}
	d.subject(strings.Trim(term, "*_`: "))
	return true
}

// setOff cuts a term that is bold, in italics or code off the beginning of a line.
func setOff(line string) (term, rest string, found bool) {
	for _, mark := range []string{"**", "__", "`", "*"} {
		if !strings.HasPrefix(line, mark) {
			continue
		}
		if end := strings.Index(line[len(mark):], mark); end > 0 && end <= mostTermBytes {
			at := len(mark) + end
			return line[len(mark):at], strings.TrimPrefix(line[at+len(mark):], mark), true
		}
		return "", "", false
	}
	return "", "", false
}

// cutDash cuts a line at a dash with spaces around it.
func cutDash(line string) (before, after string, found bool) {
	for _, dash := range []string{" — ", " – ", " - ", " -- "} {
		if before, after, found = strings.Cut(line, dash); found && len(before) <= mostTermBytes {
			return before, after, true
		}
	}
	return "", "", false
}

// entryTerm reports whether what stands before a dash or a colon looks like a term: few words, and
// no part of a sentence.
func entryTerm(s string) bool {
	all := strings.Fields(s)
	if len(all) == 0 || len(all) > 4 || strings.ContainsAny(s, "\"?!;=<>") {
		return false
	}
	small := 0
	for i, w := range all {
		low := strings.ToLower(w)
		if i == 0 && (languageForms["en"].empty[low] && !acronym(w)) || languageForms["en"].verbs[low] {
			return false
		}
		if !capital(w) {
			small++
		}
	}
	return strings.ContainsFunc(s, unicode.IsLetter) && (len(all) <= 3 || small <= 1)
}

// repeats reports whether one of the words of an explanation but the first is the term again, in one or
// in many.
func repeats(rest, term string) bool {
	if strings.Contains(strings.ToLower(rest)+" ", " "+strings.ToLower(strings.Trim(term, marks))+" ") {
		return true
	}
	key := DefinedKey(term)
	all := strings.Fields(rest)
	return key != "" && slices.ContainsFunc(all[min(1, len(all)):], func(w string) bool { return DefinedKey(w) == key })
}

// described reports an item that says what a thing with an article is: "The ready list (also …): the
// set of …".
func described(term, rest string) bool {
	main, _ := aside(term)
	first, name, found := strings.Cut(main, " ")
	kind, _, _ := strings.Cut(rest, " ")
	return found && article(strings.ToLower(first)) && entryTerm(name) && article(strings.ToLower(kind))
}

// label reports whether what stands before a colon is a name: of one or two words, or of capitals.
func label(s string) bool {
	all := strings.Fields(s)
	if article(strings.ToLower(all[0])) {
		return false
	}
	return len(all) < 3 || !slices.ContainsFunc(all, func(w string) bool { return !capital(w) })
}

// rows keeps the terms of rows of a table.
func (d *definer) rows(text string, columns []string) {
	for line := range strings.Lines(text) {
		d.row(line, columns)
	}
}

// row keeps the term of a row whose first cell is a short name and whose second explains it in
// prose, or another one under a head that says so.
func (d *definer) row(line string, columns []string) {
	cells := corpus.TableCells(line)
	if len(cells) < 2 || strings.Trim(cells[0], "-: ") == "" || len(columns) > 0 && strings.EqualFold(cells[0], columns[0]) {
		return
	}
	least, prose, term := 5, cells[1], strings.Trim(cells[0], "*_`\"“”' ")
	codes := codesIn(cells[0])
	if len(codes) > 0 {
		least = leastProse
	}
	switch at := slices.IndexFunc(columns, func(head string) bool { return glossHeads()[DefinedKey(head)] }); {
	case at > 0 && at < len(cells):
		least, prose = 1, cells[at]
	case len(cells) > 2: // a row of facts
		return
	case strings.IndexFunc(strings.TrimLeft(prose, marks), unicode.IsLetter) != 0:
		return
	}
	if len(strings.Fields(prose)) < least {
		return
	}
	for _, code := range codes {
		d.add(code)
	}
	if len(codes) > 0 || len(strings.Fields(term)) > 4 || len(term) > 60 || emptyLabel(term) || !d.isTerm(term) {
		return
	}
	d.subject(term)
}

// codesIn returns the names in code of a cell that has nothing else: "`-o`, `--output`".
func codesIn(cell string) (all []string) {
	for i, part := range strings.Split(cell, "`") {
		if part = strings.TrimSpace(part); i%2 == 1 {
			all = append(all, part)
		} else if part != "" && part != "," && part != "/" && part != "or" && part != "and" {
			return nil
		}
	}
	return all
}

// explained keeps the heading that the first sentence below it explains: it is a term, and the
// sentence begins with it or says what it does.
func (d *definer) explained(heading, sentence string) {
	term := strings.Trim(heading, marks+"#0123456789")
	key := DefinedKey(term)
	all := strings.Fields(term)
	if key == "" || len(all) > 4 || emptyHeading()[key] || !d.isTerm(term) || strings.HasSuffix(all[0], "ing") {
		return
	}
	begin := strings.Fields(sentence)
	if len(begin) < leastProse+1 || strings.IndexFunc(strings.TrimRight(sentence, "*_`)\"”"), unicode.IsLetter) < 0 {
		return
	}
	if c, found := d.clause(sentence); d.saysKind(begin) && !(found && d.isTerm(c.subject)) || d.thisDoes(term, begin) {
		d.add(term)
		return
	}
	if article(strings.ToLower(begin[0])) {
		begin = begin[1:]
	}
	verb := begin[min(len(begin)-1, len(all)):]
	if DefinedKey(strings.Join(begin[:min(len(begin), len(all))], " ")) != key || capital(verb[0]) || strings.HasSuffix(verb[0], "ed") {
		return
	}
	switch strings.ToLower(verb[0]) {
	case "is", "are", "was", "were", "a", "an", "the", "and", "or", "of", "in", "can", "may", "must", "should", "that", "which", "for", "to", "with":
		return
	}
	if !kindNouns[verb[0]] && (strings.HasSuffix(verb[0], "s") && !notVerbs[verb[0]] || strings.HasSuffix(all[len(all)-1], "s")) {
		d.add(term)
	}
}
