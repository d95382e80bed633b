// Package index finds the passages that may answer a question, the fifty or so whose words weigh
// most (BM25), and keeps for each what ranking compares: its words, stems and sentences, and how
// frequent words and runs of letters are. Nothing of a passage is cut, stemmed or fetched for a
// question.
//
// The index is derived: the tables are right, and whoever follows them applies their changes.
// [Index.Held] says at a start what is there, so that only the rest is added and removed. A change
// can be found when [Index.Apply] returns. Readers take no lock: a [View] is the index at one
// moment, and stays so.
//
// An index is segments, which never change and have one form, in memory as in files. A few
// passages are a segment in memory until enough have come together for a file, which is mapped:
// an index starts at once, and the system keeps as much of it in memory as there is room. Segments
// of about one size are merged in the background, eight at a time; a passage that is removed is
// only marked, until a fifth of its segment is. A file gets its name when all of it is on the
// disk, and ends in a checksum, its format, the way in which words were cut, and the database that
// it was made from: at a start, whatever is not right is thrown away. What is only in memory is
// written by [Index.Close], and lost when the process dies. Files that are changed or cut short
// by others while they are mapped end the process.
//
// Terms that more than a quarter of the passages have find none while two others remain. In every
// stretch of 512 passages of a list the greatest impact is known, so that most stretches are never
// looked at.
//
// Why not bleve: in one run (bench/retrieval, 100,000 passages, a busy machine), bleve 2.6 on the
// disk takes 1.8 ms for the candidates of an English question at the median and 26 ms at the 95th
// percentile, this index 0.10 and 0.20 ms, or 0.19 and 0.37 ms in any language. Adding one passage
// takes bleve 9 ms and this index 0.16 ms, and bleve would not keep the words of a passage for
// ranking (docs/figures.md).
package index
