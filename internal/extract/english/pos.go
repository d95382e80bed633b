package english

// pos is a part of speech, coarser than the Penn Treebank's tags.
type pos uint8

// The parts of speech, each with the tags that it stands for.
const (
	posOther       pos = iota
	posNoun            // NN
	posNouns           // NNS
	posName            // NNP, NNPS
	posCode            // an identifier; behaves like a name
	posAdjective       // JJ, JJR, JJS
	posBase            // VB, VBP
	posThird           // VBZ
	posPast            // VBD
	posGerund          // VBG
	posParticiple      // VBN
	posModal           // MD
	posDeterminer      // DT, PDT
	posPossessive      // PRP$
	posGenitive        // 's
	posPronoun         // PRP, EX
	posPreposition     // IN, RP
	posTo              // TO
	posConjunction     // CC
	posAdverb          // RB
	posWh              // WDT, WP, WRB
	posNumber          // CD
	posPunct
)

// pennPos maps the tagger's tags.
func pennPos(t string) pos {
	switch t {
	case "NN":
		return posNoun
	case "NNS":
		return posNouns
	case "NNP", "NNPS":
		return posName
	case "JJ", "JJR", "JJS":
		return posAdjective
	case "VB", "VBP":
		return posBase
	case "VBZ":
		return posThird
	case "VBD":
		return posPast
	case "VBG":
		return posGerund
	case "VBN":
		return posParticiple
	case "MD":
		return posModal
	case "DT", "PDT":
		return posDeterminer
	case "PRP$":
		return posPossessive
	case "POS":
		return posGenitive
	case "PRP", "EX":
		return posPronoun
	case "IN", "RP":
		return posPreposition
	case "TO":
		return posTo
	case "CC":
		return posConjunction
	case "RB", "RBR", "RBS":
		return posAdverb
	case "WDT", "WP", "WP$", "WRB":
		return posWh
	case "CD":
		return posNumber
	}
	return posOther
}

// isNoun reports whether p can be the head of a noun phrase.
func (p pos) isNoun() bool {
	return p == posNoun || p == posNouns || p == posName || p == posCode
}

// isFinite reports whether p is a verb form that makes a clause.
func (p pos) isFinite() bool {
	return p == posThird || p == posPast || p == posBase || p == posModal
}

// isVerb reports whether p is any verb form.
func (p pos) isVerb() bool {
	return p.isFinite() || p == posGerund || p == posParticiple
}
