// Package english reads English by rules, without a model.
//
// Extractor reads the prose of plain text and Markdown, tags parts of speech,
// collects noun phrases and names, and takes typed relationships only from what a
// sentence says in so many words: definitions, enumerations and verbs. It prefers to
// miss a relationship over inventing one. The same passage gives the same extraction,
// order included. Time is about linear in the length of the passage, and so is memory;
// package extract reads long passages in pieces.
//
// Embedder is the embedding to go with it: deterministic, made of character n-grams and
// word stems, good at recognising one concept in its spellings and inflections, and
// without knowledge of meaning.
package english
