// Package notes lets people and agents write into the graph by hand. What they write
// at once is a note: it is kept as a small document of the ontology, whose quotes show the
// concepts and the relationships that it makes, so that these have a source, are found,
// listed and removed like all others, and say who made them.
package notes
