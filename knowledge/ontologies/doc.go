// Package ontologies has the words of ontologies: the collections that documents are ingested into.
//
// An ontology has a name, which may change, and a number and a key, which never do ([Node]). What is in
// it is counted in its [Statistics], and its documents are listed as [File]s. Every concept is in the
// ontologies whose documents show it, and in no other.
//
// Its lifecycle says what may become of it: an active one takes documents and may be proposed for
// changes, a pinned one takes documents and stays as it is, a frozen one takes nothing.
//
// An ontology of any size is taken out in steps ([RemovalJob], [RemovalStep]), each a transaction, and goes on
// after a crash. What documents of other ontologies show as well stays. Its name is free at once; what
// was removed is remembered as a [Tombstone].
//
// What makes one ontology of two, or two of one, is in knowledge/curation.
package ontologies
