package extract

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa/knowledge"
)

// rememberedFor is how long the reading of a preview is kept when there is no room for
// another one.
const rememberedFor = 10 * time.Minute

// Remember returns two Readers that find what r finds. What previews has read of a passage
// is kept until reads is asked for the same one, which then need not be read again. At most
// about limit bytes are kept: what comes when they are full is not kept, unless the oldest
// has waited for ten minutes. A passage without an outline is not kept: its document is too
// long for a preview, and will be read with one.
//
// It is for an r that reads the same in passages with the same text, content type, language
// and outline, whatever else they say.
func Remember(r Reader, limit int) (reads, previews Reader) {
	m := &memory{limit: limit, readings: map[passageKey]remembered{}, now: time.Now}
	return recalling{r, m}, remembering{r, m}
}

// memory holds readings until they are taken.
type memory struct {
	limit int // bytes
	now   func() time.Time

	mu       sync.Mutex
	readings map[passageKey]remembered
	order    []passageKey // as they came; some are not there any more
	size     int          // bytes of the readings, about
}

// passageKey is the hash of all that a reading depends on.
type passageKey [sha256.Size]byte

// remembered is a reading that waits.
type remembered struct {
	extraction knowledge.Extraction
	size       int
	since      time.Time
}

// remembering keeps what it reads.
type remembering struct {
	Reader
	memory *memory
}

// Extract reads a passage, and keeps what it found.
func (r remembering) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	e, err := r.Reader.Extract(ctx, p)
	if err == nil && p.Outline != nil {
		r.memory.put(keyOf(p), e)
	}
	return e, err
}

// recalling takes what is kept.
type recalling struct {
	Reader
	memory *memory
}

// Extract returns what is kept of a passage, or reads it.
func (r recalling) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	if e, ok := r.memory.take(keyOf(p)); ok {
		return e, nil
	}
	return r.Reader.Extract(ctx, p)
}

func keyOf(p knowledge.Passage) (k passageKey) {
	h := sha256.New()
	outline := ""
	if p.Outline != nil {
		outline = "outline " + p.Outline.Hash
	}
	for _, part := range p.Parts {
		fmt.Fprintf(h, "%s %d ", part.Language, part.Start)
	}
	for _, part := range []string{string(p.ContentType), "\x00", p.Language, "\x00", outline, "\x00", p.Text} {
		_, _ = h.Write([]byte(part))
	}
	h.Sum(k[:0])
	return k
}

// put keeps a copy of e, which holds no part of the document that it was read from.
func (m *memory) put(k passageKey, e knowledge.Extraction) {
	r := remembered{size: sizeOf(e), since: m.now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.readings[k]; known || !m.makeRoom(r.size) {
		return
	}
	r.extraction = clone(e)
	m.readings[k] = r
	m.order = append(m.order, k)
	m.size += r.size
}

// makeRoom forgets what has waited for long if that makes room for so many bytes.
func (m *memory) makeRoom(size int) bool {
	for m.size+size > m.limit && len(m.order) > 0 {
		oldest, waits := m.readings[m.order[0]]
		if waits && m.now().Sub(oldest.since) < rememberedFor {
			return false
		}
		m.forget(m.order[0])
		m.order = m.order[1:]
	}
	return m.size+size <= m.limit
}

func (m *memory) take(k passageKey) (knowledge.Extraction, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.readings[k]
	m.forget(k)
	for len(m.order) > 0 {
		if _, waits := m.readings[m.order[0]]; waits {
			break
		}
		m.order = m.order[1:]
	}
	return r.extraction, ok
}

func (m *memory) forget(k passageKey) {
	m.size -= m.readings[k].size
	delete(m.readings, k)
}

// wordSize is about what a string or a number takes besides its letters.
const wordSize = 16

// sizeOf returns about how many bytes e takes.
func sizeOf(e knowledge.Extraction) int {
	size := 0
	for _, c := range e.Concepts {
		size += 6*wordSize + len(c.Key) + len(c.Label) + len(c.Description)
		for _, t := range c.SearchTerms {
			size += wordSize + len(t)
		}
	}
	for _, i := range e.Instances {
		size += 3*wordSize + len(i.Concept) + len(i.Quote)
	}
	for _, r := range e.Relationships {
		size += 12*wordSize + len(r.From) + len(r.To) + len(r.Type) + len(r.Quote) + len(r.Marks.Before)
	}
	return size
}

// clone returns a copy of e whose texts are copies too.
func clone(e knowledge.Extraction) knowledge.Extraction {
	e.Concepts, e.Instances, e.Relationships = slices.Clone(e.Concepts), slices.Clone(e.Instances), slices.Clone(e.Relationships)
	for i := range e.Concepts {
		c := &e.Concepts[i]
		c.SearchTerms = slices.Clone(c.SearchTerms)
		cloneTexts(&c.Key, &c.Label, &c.Description)
		for n := range c.SearchTerms {
			cloneTexts(&c.SearchTerms[n])
		}
	}
	for i := range e.Instances {
		cloneTexts(&e.Instances[i].Concept, &e.Instances[i].Quote)
	}
	for i := range e.Relationships {
		r := &e.Relationships[i]
		cloneTexts(&r.From, &r.To, &r.Type, &r.Quote, &r.Marks.Before)
	}
	return e
}

func cloneTexts(texts ...*string) {
	for _, t := range texts {
		*t = strings.Clone(*t)
	}
}
