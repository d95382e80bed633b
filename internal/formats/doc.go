// Package formats knows the formats of documents: it recognises them by their
// content, and turns their bytes into text.
//
// What a caller may rely on: the same bytes give the same text, so that work on a
// document can be resumed; a document, whatever is in it, takes no more than the
// time and memory of the limits here, and ends in a text or in an error that says
// what is wrong with it. Text and Markdown are passed on byte for byte.
package formats
