package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IdentityKey is a name in the form in which names of one thing are equal: without
// case, hyphens, spaces, diacritics, number of nouns, and British or American spelling;
// without articles, titles before a full name and legal forms behind one. Digits, Roman
// numerals and signs count: C, C++ and C# have three keys, and the flag --job is no job. So does the case of units,
// and that of words like US and us. Names with one key may still be of two things, see
// SameName.
func IdentityKey(label string) string { return ReadName(label).key }

// SameName reports whether two names are of one thing, as far as names tell.
//
// Titles that exclude each other keep persons apart (Mr. and Mrs. John Smith), and what
// an article or a legal form makes a proper name is no common noun: The Economist is no
// economist, and Apple Inc. no apple.
func SameName(a, b string) bool {
	return a == b || ReadName(a).Same(ReadName(b))
}

// Same is SameName of names that have been read.
func (n Name) Same(o Name) bool {
	switch {
	case n.key != o.key:
		return false
	case n.rank != "" && o.rank != "" && n.rank != o.rank:
		return false
	}
	return !(n.proper && !o.capital || o.proper && !n.capital)
}

// SharesWords reports whether two names have a word in common, or words that begin or
// end alike. Of such names the words say what differs, and a similar embedding says only
// that they are near: directed graph and undirected graph are two things.
func (n Name) SharesWords(o Name) bool {
	for _, x := range n.words {
		for _, y := range o.words {
			if !smallWords[x] && !smallWords[y] && alike(x, y) {
				return true
			}
		}
	}
	return false
}

// alike reports whether two words have four letters in common at the start or the end,
// or the shorter one starts the longer.
func alike(x, y string) bool {
	const least = 4
	if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
		return true
	}
	n := min(len(x), len(y))
	return n >= least && (x[:least] == y[:least] || x[len(x)-least:] == y[len(y)-least:])
}

// Name is what a name says of what it names. ReadName makes one.
type Name struct {
	key     string
	words   []string // in the form of the key
	rank    string   // of the person: what excludes other ranks
	proper  bool     // an article or a legal form was left out that makes it a proper name
	capital bool     // what is left starts with a capital letter or a digit
}

// ReadName reads a name, some microseconds.
func ReadName(label string) Name {
	var r Name
	words := nameWords(FoldLetters(label))
	words = r.withoutArticle(words)
	words = r.withoutLegalForm(words)
	words = r.withoutTitles(words)
	if len(words) == 0 {
		r.key = LabelKey(label) // nothing but signs
		return r
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	r.capital = unicode.IsUpper(first) || unicode.IsDigit(first)
	r.words = make([]string, len(words))
	for i, w := range words {
		r.words[i] = wordKey(w, i == 0 && len(words) > 1)
	}
	last := len(words) - 1
	if caseCounts(words[last]) && (last == 0 || last == 1 && endsInDigit(words[0])) {
		r.words[last] = words[last]
	}
	r.key = joinWords(r.words)
	return r
}

// joinWords writes words together, as "database" for "data base", but keeps numbers
// apart that stand beside each other.
func joinWords(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && endsInDigit(words[i-1]) && w[0] >= '0' && w[0] <= '9' {
			b.WriteByte('|')
		}
		b.WriteString(w)
	}
	return b.String()
}

func endsInDigit(w string) bool { c := w[len(w)-1]; return c >= '0' && c <= '9' }

// withoutArticle leaves out the article before a name.
func (n *Name) withoutArticle(words []string) []string {
	if len(words) < 2 {
		return words
	}
	capital := StartsUpper(words[1])
	switch words[0] {
	case "the", "a", "an":
		return words[1:]
	case "The", "THE":
		n.proper = capital
		return words[1:]
	case "A", "An":
		if !capital && len(words[1]) > 1 { // A minor is a key, but A Worker may be a title
			if _, key := musicalKeys[words[1]]; !key {
				return words[1:]
			}
		}
	}
	return words
}

// withoutLegalForm leaves out the legal form of a company, and a degree behind a
// person's name.
func (n *Name) withoutLegalForm(words []string) []string {
	for len(words) > 1 {
		last := len(words) - 1
		if !legalForms[words[last]] || !StartsUpper(words[last-1]) {
			return words
		}
		words = words[:last]
		n.proper = true
	}
	return words
}

// withoutTitles leaves out titles before the full name of a person.
func (n *Name) withoutTitles(words []string) []string {
	for len(words) > 2 {
		rank, title := titles[words[0]]
		if !title || !fullName(words[1:]) {
			break
		}
		if rank != "" {
			n.rank = rank
		}
		words = words[1:]
	}
	return words
}

// fullName reports whether words may be the full name of a person, perhaps with another
// title before it.
func fullName(words []string) bool {
	for _, w := range words {
		if !StartsUpper(w) || namedThings[strings.ToLower(w)] {
			return false
		}
	}
	return len(words) <= 4
}

// StartsUpper reports whether a word begins with a capital letter.
func StartsUpper(w string) bool {
	first, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(first)
}

// caseCounts reports whether the only word of a name is another thing in another case:
// a unit or symbol of one or two letters, or one of the words that are.
func caseCounts(w string) bool {
	low := strings.ToLower(w)
	switch {
	case len(w) <= 2:
		return true
	case w == strings.ToUpper(w):
		return acronymsThatAreWords[low]
	}
	return StartsUpper(w) && namesThatAreWords[low]
}
