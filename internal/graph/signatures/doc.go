// Package signatures finds concepts by meaning and by name in memory: the signatures of
// all embeddings of one model, which one scan compares, and the vectors themselves,
// which give the few best their exact similarity. An answer is the same, to the last
// bit and in the same order, as that of the tables.
//
// An Index holds what a change log says that the tables hold. Until it has loaded, while
// it loads anew, and when it would need more memory than it may take, it is not ready,
// and whoever asks reads the tables instead. Answers may be behind the tables by the
// time that a notification takes, or by one poll.
//
// Any number of goroutines may ask at once. A change waits for those that ask, which
// takes milliseconds, and no question waits for the index to be rebuilt.
package signatures
