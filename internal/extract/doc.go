// Package extract is what readers of text share: what an Extractor promises, and how a
// long passage is read in pieces. The reader that needs no model is in the package
// english below it.
//
// What a caller may rely on, whichever extractor reads: every quote is the passage's own bytes at
// its span; every key that an instance or a relationship names is the key of a concept;
// no concept repeats a quote. Everything is safe for concurrent use.
package extract
