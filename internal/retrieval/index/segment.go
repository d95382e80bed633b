package index

import (
	"cmp"
	"slices"
	"sort"
	"sync/atomic"
)

// postedFields are the fields that find passages: Texts, Stems and Prefixes.
const postedFields = 3

// segment is a part of the index that never changes: passages, numbered from 0, with the
// terms that find them.
type segment struct {
	head    *head
	file    string // where it is; "" in memory
	bytes   int
	mapping *mapping // keeps the bytes readable; nil in memory

	rows, numbers, forward, runs []byte
	words, spelling              []byte
	grams, gramCounts            []byte
	definitions, definitionEnds  []byte
	definitionRows, signatures   []byte
	fields                       [postedFields]dictionary
	lowest, highest              int32           // numbers of documents
	bits                         []atomic.Uint32 // of each word that was asked for, its bit, and wordBits
}

// openSegment returns the segment of these bytes.
func openSegment(p []byte) (*segment, error) {
	h, parts, err := parse(p)
	if err != nil {
		return nil, err
	}
	s := &segment{
		head: h, bytes: len(p), rows: parts[rowSection], numbers: parts[numberSection], forward: parts[forwardSection],
		words: parts[wordSection], spelling: parts[spellingSection], runs: parts[documentSection], grams: parts[gramSection], gramCounts: parts[gramCountSection],
		definitions: parts[definitionSection], definitionEnds: parts[definitionEndSection],
		definitionRows: parts[definitionRowSection], signatures: parts[signatureSection],
	}
	for f := range s.fields {
		s.fields[f] = dictionaryOf(parts, Field(f))
		if !s.fields[f].valid() {
			return nil, errDamaged
		}
	}
	if len(s.rows) != s.len()*rowSize || len(s.numbers) != 4*s.len() || len(s.runs)%runSize != 0 || len(s.runs) == 0 {
		return nil, errDamaged
	}
	s.bits = make([]atomic.Uint32, len(s.words)/wordSize)
	s.lowest, s.highest = s.run(0).document, s.run(len(s.runs)/runSize-1).document
	return s, nil
}

// len returns how many passages there are, among them those that are dead.
func (s *segment) len() int { return len(s.rows) / rowSize }

// find returns the passage with an ID.
func (s *segment) find(id int32) (uint32, bool) {
	n := s.len()
	at := sort.Search(n, func(i int) bool { return s.id(number(s.numbers, i)) >= id })
	if at == n || s.id(number(s.numbers, at)) != id {
		return 0, false
	}
	return number(s.numbers, at), true
}

// runSize is the size of a run: the document, its first passage, and the first behind it.
const runSize = 12

// run is passages of one document that are beside each other.
type run struct {
	document   int32
	start, end uint32
}

func (s *segment) run(i int) run {
	p := s.runs[i*runSize:]
	return run{document: int32(number(p, 0)), start: number(p, 1), end: number(p, 2)}
}

// runsOf returns which runs are of a document: from the first to before the end.
func (s *segment) runsOf(document int32) (first, end int) {
	if document < s.lowest || document > s.highest {
		return 0, 0
	}
	n := len(s.runs) / runSize
	first = sort.Search(n, func(i int) bool { return s.run(i).document >= document })
	for end = first; end < n && s.run(end).document == document; {
		end++
	}
	return first, end
}

// runsIn returns the runs of passages of these documents, by document.
func runsIn(documents []int32) []run {
	var all []run
	for i, d := range documents {
		if i > 0 && documents[i-1] == d {
			all[len(all)-1].end++
			continue
		}
		all = append(all, run{document: d, start: uint32(i), end: uint32(i + 1)})
	}
	slices.SortStableFunc(all, func(a, b run) int { return cmp.Compare(a.document, b.document) })
	return all
}
