// Package keyterms reads texts in languages that no reader has rules for. It knows no grammar:
// names it knows by capitals, where the script has them, and by the marks around titles; other
// terms by that they are repeated, stand between function words, and are no function words
// themselves. Two terms that stand side by side in a sentence are related, and that sentence is
// the evidence.
//
// A passage gives twenty concepts at most, the same ones each time, in time that grows with its
// length.
package keyterms
