package answers

import "strings"

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
	return len(all) == 1 && len(all[0]) > 1 || len(all) > 1 && (capital(all[len(all)-1]) || acronym(all[0]) || len(all) == 2 && kindNoun(all[1]))
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
	return strings.ReplaceAll(kept.String(), "  ", " "), asides
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
	if all := strings.Fields(plainTerm(main)); len(all) == 2 && kindNoun(all[1]) && d.nameLike(all[0]) {
		d.add(all[0]) // the png_info structure
	}
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
