// Package knowledge has the words of the graph: concepts, what relates them, and what bears that out.
//
// A reader of a passage returns an [Extraction]: the concepts that the passage names, the words that
// show each of them, and the relationships that it states. Ingestion compares them with what is
// known. A concept that is the same as one in the graph joins it ([Matcher], [AliasOf]), another one
// is new. What a chunk adds is written in one transaction ([ChunkGraph]).
//
// So everything in the graph has its [Evidence]: a quote, and the place in a document where it
// stands. Of a relationship the [EdgeEvidence] says as well which words are its two ends ([Mark]s).
// What no document shows any more goes with the last one that did.
//
// How well something is borne out is its [Grounding]: how many documents and quotes there are
// ([Support]), and whether what is said of it supports or contradicts it. It is rounded the same way
// everywhere, and said in the same words.
//
// Every change of the graph raises its epoch ([Epoch]), with a record of what changed it and why.
// A server that keeps the graph in memory follows a log of changes ([GraphChange]).
//
// People and agents write into the graph too ([Note]), and correct it: they join concepts and part
// them again ([ConceptMerge], [ConceptSplit]). What was done can be undone.
//
// What may be asked of the graph is in knowledge/questions, and programs of questions are in
// knowledge/programs. When two names are one is decided in knowledge/naming. The types of
// relationships are in knowledge/vocabulary, the collections that concepts are in are in
// knowledge/ontologies, and what keeps both in order is in knowledge/curation. Pictures of it are
// in knowledge/projection.
package knowledge
