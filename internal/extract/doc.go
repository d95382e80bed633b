// Package extract reads passages: it finds the concepts a reader would name,
// the quotes that show them and the relationships the text states.
//
// Local, the built-in extractor, needs no model, key or network. It reads the
// prose of plain text and Markdown, tags parts of speech, collects noun phrases
// and names, and takes typed relationships only from what a sentence says in so
// many words: definitions, enumerations and verbs. It prefers to miss a
// relationship over inventing one.
//
// What a caller may rely on: the same passage gives the same extraction, order
// included; every quote is the passage's own bytes at its span; every key that
// an instance or a relationship names is the key of a concept; no concept
// repeats a quote. Time is about linear in the length of the passage and memory
// is bounded, whatever the text is. Everything is safe for concurrent use.
//
// LocalEmbedding is the embedding to go with it: deterministic, made of
// character n-grams and word stems, good at recognising one concept in its
// spellings and inflections, and without knowledge of meaning.
package extract
