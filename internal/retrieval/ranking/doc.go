// Package ranking puts the passages first that answer a question, and says how likely it is
// that they do. It compares the words of the question with those of each candidate in some
// thirty ways, each as a share of what the whole question weighs, so that long and short
// questions and large and small libraries are measured alike. What each way is worth was
// learned from questions that people asked (see test/ranking). English is compared by stems,
// other languages by the first letters of words and with weights of their own.
//
// Time and memory depend on the candidates, not on the library. A Model is safe for concurrent
// use.
package ranking
