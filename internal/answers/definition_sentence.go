package answers

import (
	"strings"
	"unicode"
)

// mostSubject is how many words the subject of a definition may have, with what is put in
// between.
const mostSubject = 24

// sentence keeps the terms that one sentence defines.
func (d *definer) sentence(s string) {
	if d.language == "zh" || hanFirst(s) {
		d.chinese(s)
		return
	}
	s = strings.TrimLeft(s, marks)
	if c, found := d.clause(s); found && d.defines(c) {
		d.subject(c.subject)
	} else if term, found := introduced(s); found && d.isTerm(term) {
		d.add(term)
	}
	d.called(s)
	d.setOffWithin(s)
}

// setOffWithin keeps the terms that a sentence sets off and defines behind its beginning: "…, and a
// **slot** is room for one job".
func (d *definer) setOffWithin(s string) {
	for rest := s; ; {
		at := strings.Index(rest, " **")
		if at < 0 {
			return
		}
		before := rest[strings.LastIndexByte(rest[:at], ' ')+1 : at]
		term, after, found := setOff(rest[at+1:])
		if !found {
			return
		}
		verb, _, _ := strings.Cut(strings.TrimPrefix(after, " "), " ")
		if article(strings.ToLower(before)) && d.forms.copulas[verb] && d.isTerm(term) {
			d.add(term)
		}
		rest = after
	}
}

// introduced returns the term that a sentence sets off behind an article at its beginning: "A
// **claim** takes jobs".
func introduced(s string) (term string, found bool) {
	first, rest, _ := strings.Cut(s, " ")
	if low := strings.ToLower(first); low != "a" && low != "an" && low != "the" || !strings.HasPrefix(rest, "**") {
		return "", false
	}
	term, rest, found = setOff(rest)
	after := strings.Fields(rest)
	return term, found && len(after) >= leastProse && !capital(after[0]) && strings.HasPrefix(rest, " ")
}

// clause is a sentence, parted at a verb that may define.
type clause struct {
	subject, rest string
	many          bool // "are": what follows needs no article
	means         bool // "stands for": what follows needs nothing
	describes     bool // it is said of documents as well
}

// clause parts a sentence at its first verb that may define. What stands in brackets belongs to
// the subject.
func (d *definer) clause(s string) (c clause, found bool) {
	depth, count := 0, 0
	for at := 0; at < len(s) && count < mostSubject; count++ {
		end := at + strings.IndexAny(s[at:]+" ", " \t\n")
		word := s[at:end]
		if depth <= 0 && count > 0 {
			for _, m := range d.forms.means {
				if after, is := cutWords(s[at:], m); is {
					return clause{subject: s[:at], rest: after, means: true, describes: m == "describes"}, true
				}
			}
			if low := strings.ToLower(strings.Trim(word, "*_`")); d.forms.copulas[low] {
				return clause{subject: s[:at], rest: s[end:], many: d.forms.plurals[low]}, true
			}
		}
		depth += strings.Count(word, "(") - strings.Count(word, ")")
		for at = end; at < len(s) && strings.IndexByte(" \t\n", s[at]) >= 0; {
			at++
		}
	}
	return clause{}, false
}

// cutWords cuts words off the beginning of a text, in any case.
func cutWords(s, front string) (after string, found bool) {
	if len(s) <= len(front) || !strings.EqualFold(s[:len(front)], front) || s[len(front)] != ' ' {
		return s, false
	}
	return s[len(front):], true
}

// defines reports whether what follows the verb says what the subject is.
func (d *definer) defines(c clause) bool {
	after := strings.Fields(c.rest)
	if len(after) < 2 || !d.isTerm(c.subject) {
		return false
	}
	if c.means {
		return named(c.subject) && (!c.describes || strings.HasPrefix(c.subject, "A ") || strings.HasPrefix(c.subject, "An "))
	}
	first := strings.ToLower(strings.Trim(after[0], marks))
	if d.forms == languageForms["en"] && strings.HasSuffix(first, "ly") && len(after) > 2 { // "is usually a"
		after = after[1:]
		first = strings.ToLower(strings.Trim(after[0], marks))
	}
	if first == "how" || first == "what" || first == "where" {
		return strings.HasPrefix(c.subject, "A ") || strings.HasPrefix(c.subject, "An ")
	}
	if !d.forms.articles[first] {
		return c.many && d.kindOf(after)
	}
	second := strings.ToLower(strings.Trim(after[1], marks))
	return !d.forms.not[second] && named(c.subject)
}

// kindOf reports whether the words after "are" name a kind: "queues that hold jobs", and not
// "described below".
func (d *definer) kindOf(after []string) bool {
	first := strings.ToLower(strings.Trim(after[0], marks))
	if d.forms != languageForms["en"] || len(after) < 3 || d.forms.empty[first] || strings.HasSuffix(first, "ed") ||
		strings.HasSuffix(first, "ing") || strings.HasSuffix(first, "ly") || strings.HasSuffix(first, "en") || d.forms.not[first] {
		return false
	}
	for _, w := range after[1:min(len(after), 6)] {
		switch strings.ToLower(strings.Trim(w, marks)) {
		case "that", "which", "who", "whose", "of", "used", "consisting", "made":
			return true
		}
	}
	return false
}

// isTerm reports whether the subject of a sentence may be a term.
func (d *definer) isTerm(subject string) bool {
	main, _ := aside(subject)
	all := strings.Fields(main)
	if len(all) == 0 || len(all) > mostTermWords+1 || len(all) == 1 && article(strings.ToLower(all[0])) {
		return false
	}
	for i, w := range all {
		low := strings.ToLower(strings.Trim(w, marks))
		if i > 0 && within[low] && !(i+1 < len(all) && capital(all[i-1]) && capital(all[i+1])) {
			return false
		}
		if i == 0 && (d.forms.empty[low] || d.forms.verbs[low]) && !(len(all) > 1 && acronym(w)) || i > 0 && d.forms.verbs[low] {
			return false
		}
		if strings.HasSuffix(w, ",") && i+1 < len(all) || strings.ContainsAny(w, ";:") {
			return false
		}
	}
	return true
}

// within are words that make a description of a subject and not a term, unless they join names.
var within = set("with for in from by to at on its their his her this these that as into named called given based about within without per than between under over after before during via through two three four five more")

// named reports whether a subject is a name, or is said to be any of its kind: "A lane".
func named(subject string) bool {
	main, _ := aside(subject)
	main, lead := withoutLead(main)
	all := strings.Fields(strings.Trim(main, marks))
	if lead {
		return true
	}
	if len(all) == 0 {
		return false
	}
	switch strings.ToLower(all[0]) {
	case "a", "an", "ein", "eine", "un", "una", "une", "um", "uma", "uno":
		return true
	case "the", "der", "die", "das", "el", "la", "le", "il", "o":
		all = all[1:]
	}
	return len(all) == 1 && len(all[0]) > 1 || len(all) > 1 && capital(all[len(all)-1])
}

// aside parts what is put in between off a subject: in brackets, or between commas.
func aside(subject string) (main string, asides []string) {
	var kept strings.Builder
	rest := subject
	for {
		open := strings.IndexAny(rest, "(,")
		if open < 0 || open == 0 && kept.Len() == 0 {
			break
		}
		kept.WriteString(rest[:open])
		inner := rest[open+1:]
		end := strings.IndexByte(inner, ')')
		if rest[open] == ',' {
			end = strings.LastIndexByte(inner, ',')
			if end < 0 || strings.TrimSpace(inner[end+1:]) != "" {
				kept.WriteString(rest[open:])
				return kept.String(), asides
			}
		}
		if end < 0 {
			break
		}
		asides = append(asides, strings.TrimSpace(inner[:end]))
		rest = inner[end+1:]
	}
	if len(asides) == 0 || kept.Len() == 0 {
		return subject, nil
	}
	kept.WriteString(rest)
	return kept.String(), asides
}

// withoutLead cuts "The term" off a subject.
func withoutLead(subject string) (rest string, found bool) {
	for _, lead := range []string{"the term", "the word", "the name", "the acronym", "the abbreviation", "der begriff", "das wort", "el término", "le terme", "il termine", "o termo"} {
		if rest, found = cutWords(subject, lead); found {
			return strings.TrimSpace(rest), true
		}
	}
	return subject, false
}

// subject keeps a subject and its other names.
func (d *definer) subject(subject string) {
	main, asides := aside(subject)
	main, _ = withoutLead(main)
	if one, other, ok := strings.Cut(main, " or "); ok {
		d.add(other)
		main = one
	}
	d.add(main)
	for _, a := range asides {
		d.otherNames(a)
	}
}

// otherNames keeps the names that are put in between: "also Y, abbreviated Z", "PDF".
func (d *definer) otherNames(s string) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		name, brought := d.brought(part)
		if !brought && (!acronym(part) || len(strings.Fields(part)) > 1) {
			continue
		}
		if len(strings.Fields(name)) <= 4 && d.isTerm(name) {
			d.add(name)
		}
	}
}

// brought cuts off what brings another name: "also called".
func (d *definer) brought(part string) (name string, found bool) {
	longest := ""
	for _, a := range d.forms.also {
		if _, is := cutWords(part, a); is && len(a) > len(longest) {
			longest = a
		}
	}
	return strings.TrimSpace(part[len(longest):]), longest != ""
}

// called keeps the name of what is described first: "… is called a composite number".
func (d *definer) called(s string) {
	if d.forms != languageForms["en"] {
		return
	}
	for _, mark := range []string{" is called ", " are called ", " is known as ", " are known as ", " is termed "} {
		_, after, found := strings.Cut(s, mark)
		if !found {
			continue
		}
		name := after
		if end := strings.IndexAny(after, ",.;:("); end >= 0 {
			name = after[:end]
		}
		if all := strings.Fields(name); len(all) > 0 && len(all) <= 4 && (article(strings.ToLower(all[0])) || capital(all[0]) || strings.ContainsAny(all[0][:1], "\"*`")) && d.isTerm(strings.TrimLeft(name, marks)) {
			d.add(name)
		}
		return
	}
}

// hanFirst reports a sentence that begins with a Chinese character.
func hanFirst(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) {
			return unicode.Is(unicode.Han, r)
		}
	}
	return false
}

// chinese keeps the subject of "X是一种…", "X是指…", "X，又称Y，是…" and "X（Y）是…".
func (d *definer) chinese(s string) {
	at := strings.Index(s, "是")
	if at <= 0 || at > 90 {
		return
	}
	subject, rest := s[:at], s[at+len("是"):]
	if strings.ContainsAny(subject, "。；") || hasAny(subject, "这", "那", "它", "他", "她", "我", "你", "因为", "如果", "但", "不", "于", "就", "也", "都", "只", "更", "正", "还", "的时候", "其") {
		return
	}
	var also []string
	if main, inner, ok := strings.Cut(subject, "（"); ok {
		also = append(also, strings.FieldsFunc(strings.TrimSuffix(strings.TrimRight(inner, "，, "), "）"), func(r rune) bool { return strings.ContainsRune("，、；,;", r) })...)
		subject = main
	}
	parts := strings.FieldsFunc(subject, func(r rune) bool { return r == '，' || r == ',' })
	if len(parts) == 0 || len(parts) > 3 || len([]rune(parts[0])) > 12 {
		return
	}
	if !hasPrefixAny(rest, "一", "指", "由", "用", "位于", "中国", "世界", "美国") && len(also)+len(parts) < 2 {
		return
	}
	d.add(parts[0])
	for _, name := range append(parts[1:], also...) {
		for _, lead := range []string{"又称为", "又称", "也称为", "也称", "亦称", "简称", "又名", "也叫", "即", "缩写为", "英语：", "英文："} {
			if after, ok := strings.CutPrefix(strings.TrimSpace(name), lead); ok {
				d.add(after)
				break
			}
		}
	}
}

func hasAny(s string, some ...string) bool {
	for _, one := range some {
		if strings.Contains(s, one) {
			return true
		}
	}
	return false
}

func hasPrefixAny(s string, some ...string) bool {
	for _, one := range some {
		if strings.HasPrefix(s, one) {
			return true
		}
	}
	return false
}
