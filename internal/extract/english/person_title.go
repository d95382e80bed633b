package english

import "strings"

// personTitles are words before the name of a person that are no part of it.
const personTitles = " president vice prime minister chancellor senator congressman congresswoman representative governor mayor secretary ambassador general lieutenant major colonel captain admiral rear marshal commander sergeant corporal private king queen prince princess emperor empress regent duke duchess count countess baron baroness lord lady sir dame pope cardinal archbishop bishop father sister brother reverend rev. rabbi imam judge justice professor prof. doctor dr. mr. mrs. ms. miss chief chairman director coach gen. lt. col. capt. sgt. maj. adm. sen. rep. gov. pres. "

// eventHeads are the last words of names that a year is part of: "2002 Winter Olympics".
const eventHeads = " olympics paralympics games cup championship championships season census election elections open festival tournament bowl series rally prix "

// bareName cuts from the name of phrase p what stands before a person's: titles, and common nouns
// ("the skiing club SK Ull"). A year is added to the name of an event.
func (r *phraseReader) bareName(p *phrase) {
	for k := p.last - 2; k >= p.from; k-- {
		if t := r.tokens[k]; t.tag == posNoun && startsLower(t.text) && !strings.Contains(t.text, "-") && r.tokens[k+1].own {
			p.from = k + 1
			break
		}
	}
	for p.last-p.from >= 3 && isCapital(r.tokens[p.from].text) && strings.Contains(personTitles, " "+r.tokens[p.from].low+" ") && r.tokens[p.from+1].low != "of" {
		p.from++
	}
	if p.from > p.first && strings.Contains(eventHeads, " "+r.tokens[p.last-1].low+" ") && r.tokens[p.from].own {
		if year := r.tokens[p.from-1]; year.tag == posNumber && len(year.text) == 4 && (year.text[0] == '1' || year.text[0] == '2') {
			p.from--
		}
	}
}
