// Package export writes a graph in the formats of other programs: JSON, GraphML, GEXF,
// DOT, CSV, RDF in Turtle and N-Quads, and as tables in Parquet. A graph is written as it comes,
// so that it takes the same memory whatever its size: first every node, then every edge; in
// Parquet one table after another.
//
// Text from documents is escaped as each format wants it. What XML cannot hold becomes
// U+FFFD, and text that a spreadsheet would take for a formula gets an apostrophe.
package export
