package english

import "strings"

// maxTitleTokens bounds the title of a work.
const maxTitleTokens = 9

// titles makes one name of each title of a work in the sentence: what stands in
// quotation marks or italics with a capital on every longer word, and "Pride and
// Prejudice", of which the verb says that it is one thing.
func (t *tagging) titles(tokens []token) {
	for i := range tokens {
		if n := titleAt(tokens, i); n > 0 {
			asName(tokens[i : i+n])
		}
	}
	for i := 0; i+1 < len(tokens); i++ {
		if w := tokens[i].text; len(w) == 2 && w[1] == '.' && isCapital(w) && startsLower(tokens[i+1].text) && tokens[i+1].kind == kindWord {
			asName(tokens[i : i+2]) // "E. coli"
		}
	}
	t.joinedTitle(tokens)
	ampersands(tokens)
	regnal(tokens)
}

// asName makes one name of tokens.
func asName(tokens []token) {
	for i := range tokens {
		tokens[i].tag, tokens[i].own = posName, true
	}
	tokens[0].work = len(tokens)
}

// titleAt returns how many tokens at i are a title, or 0.
func titleAt(tokens []token, i int) int {
	italic := tokens[i].italic && (i == 0 || !tokens[i-1].italic)
	quoted := i > 0 && opensQuote(tokens[i-1])
	if !italic && !quoted || !isCapital(tokens[i].text) {
		return 0
	}
	end := i
	for end < len(tokens) && end-i <= maxTitleTokens {
		if quoted && isQuote(tokens[end].text) || !quoted && !tokens[end].italic {
			break
		}
		end++
	}
	if end-i > maxTitleTokens || quoted && end == len(tokens) {
		return 0
	}
	for end > i && tokens[end-1].kind == kindPunct {
		end--
	}
	capitals := 0
	for _, tok := range tokens[i:end] {
		switch {
		case tok.kind == kindJunk || tok.kind == kindBreak || tok.kind == kindCode:
			return 0
		case isCapital(tok.text):
			capitals++
		case tok.kind == kindWord && len(tok.text) > 4:
			return 0
		}
	}
	if capitals < 2 {
		return 0 // a sentence that is quoted
	}
	return end - i
}

// opensQuote reports a quotation mark before a word.
func opensQuote(t token) bool {
	return t.kind == kindPunct && isQuote(t.text) && t.text != "”" && t.text != "’" && t.text != "»"
}

// joinedTitle makes one name of capitalised words around "and" before a verb in the
// singular: "Pride and Prejudice is a novel".
func (t *tagging) joinedTitle(tokens []token) {
	for i := 1; i+2 < len(tokens); i++ {
		if tokens[i].low != "and" || !isCapital(tokens[i-1].text) || !isCapital(tokens[i+1].text) {
			continue
		}
		from, to := i-1, i+2
		for from > 0 && tokens[from-1].kind == kindWord && isCapital(tokens[from-1].text) {
			from--
		}
		for to < len(tokens) && tokens[to].kind == kindWord && isCapital(tokens[to].text) {
			to++
		}
		if to == len(tokens) || tokens[to].low != "is" && tokens[to].low != "was" && tokens[to].low != "has" || from > 0 && tokens[from-1].kind != kindPunct && tokens[from-1].low != "the" {
			continue
		}
		if t.words.bands[tokens[from].low] != bandFunction {
			asName(tokens[from:to])
		}
	}
}

// ampersands makes one name of what "&" joins: "Lindholm & Daughters AB".
func ampersands(tokens []token) {
	for i := 1; i+1 < len(tokens); i++ {
		joins := tokens[i].text == "&" || tokens[i].text == "a" && tokens[i-1].own && tokens[i+1].own // "Keep a Changelog"
		if !joins || !isCapital(tokens[i-1].text) || !isCapital(tokens[i+1].text) || tokens[i+1].kind != kindWord {
			continue
		}
		from, to := i-1, i+2
		for from > 0 && tokens[from-1].tag == posName && tokens[from-1].own {
			from--
		}
		for to < len(tokens) && tokens[to].tag == posName && tokens[to].own {
			to++
		}
		asName(tokens[from:to])
	}
}

// regnal joins "Elizabeth the Second" and "Alexander the Great".
func regnal(tokens []token) {
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].text != "the" || tokens[i-1].tag != posName || !tokens[i-1].own || !strings.Contains(epithets, " "+tokens[i+1].text+" ") {
			continue
		}
		from := i - 1
		for from > 0 && tokens[from-1].tag == posName && tokens[from-1].own {
			from--
		}
		asName(tokens[from : i+2])
	}
}

// epithets are what "the" adds to the name of a ruler.
const epithets = " First Second Third Fourth Fifth Sixth Seventh Eighth Great Terrible Conqueror Bold Wise Good Bald Fat Younger Elder Magnificent Lionheart Impaler Confessor Pious Short "
