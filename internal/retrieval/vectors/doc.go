// Package vectors finds passages by what they mean, where a model that embeds them is
// configured. A Follower keeps the signatures of their embeddings in memory, in step with the
// tables: one scan finds those that differ least from a question's, and the embeddings
// themselves, read from the table, say how similar they are.
//
// Without such a model it reads nothing and holds nothing. While it loads, while a model takes
// the place of another, and beyond its memory it finds none, or some of them: whoever asks goes
// by the words alone then. What it finds may be behind the tables by the time that a
// notification takes, or by one poll.
package vectors
