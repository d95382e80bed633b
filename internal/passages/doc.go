// Package passages cuts the text of a document into passages: paragraphs, lists, rows of
// tables and blocks of code, each with the headings above it, its page, its class and its
// language.
//
// The same text gives the same passages. They are in order and do not overlap, and every word
// of the text stands in one of them, in the section of one (a heading) or in its columns (the
// head of a table). It takes time in proportion to the text, and memory for a few passages.
//
// A paragraph of forty words or more is a passage of its own, short ones of one section are
// joined up to about 400 bytes, and one of more than 2,400 is cut at the ends of sentences, in
// scripts with and without spaces between words.
package passages
