package index

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// drawn returns entries of 89 words, whose frequencies are those of a language.
func drawn(n int, english bool) []Entry {
	draw := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(draw, 1.05, 1, 200_000)
	entries := make([]Entry, n)
	for i := range entries {
		var text strings.Builder
		for range 89 {
			rank := zipf.Uint64()
			for range 3 {
				text.WriteByte('a' + byte(rank%26))
				rank /= 26
			}
			text.WriteString("ing ")
		}
		e := entry(int32(i+1), text.String())
		e.English, e.Text = english, words.Cut(text.String(), english)
		entries[i] = e
	}
	return entries
}

// BenchmarkAddOne adds passages one by one, with the merges that follow.
func BenchmarkAddOne(b *testing.B) {
	entries := drawn(20_000, false)
	x, err := Open(b.TempDir(), "", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	graphgen.ReportCPU(b, func(round int) {
		if err := x.Apply(entries[round%len(entries):][:1], nil); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkAddMany adds passages in batches, with the merges that follow.
func BenchmarkAddMany(b *testing.B) {
	entries := drawn(20_000, false)
	graphgen.ReportCPU(b, func(int) {
		x, err := Open(b.TempDir(), "", nil)
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at < len(entries); at += 2000 {
			if err := x.Apply(entries[at:at+2000], nil); err != nil {
				b.Fatal(err)
			}
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkRead reads the words of fifty candidates.
func BenchmarkRead(b *testing.B) {
	entries := drawn(20_000, false)
	x, err := Open(b.TempDir(), "", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if err := x.Apply(entries, nil); err != nil {
		b.Fatal(err)
	}
	v := x.View()
	var asked []Term
	for _, w := range entries[7].Text.Words[:9] {
		asked = append(asked, Term{Field: Texts, Text: w.Text, Weight: 1})
	}
	found, err := v.Candidates(b.Context(), Query{Terms: asked, Limit: 50})
	if err != nil || len(found) != 50 {
		b.Fatalf("%d candidates, %v", len(found), err)
	}
	var p Passage
	graphgen.ReportCPU(b, func(int) {
		for i := range found {
			v.Read(&found[i], &p)
		}
	})
}
