// Package follow keeps a graph in memory that follows the tables of the database.
//
// A Follower loads the whole graph in the background and then reads what has been
// committed since its last read: when it is woken, which is a hint, and once a
// second, which is the guarantee. Its reads are snapshots of the database, so that
// transactions are seen whole and in whatever order they commit.
//
// The graph is not used while it is loaded, when the database could not be read
// for 30 seconds, and when it does not fit into its memory limit. Then View returns
// nil, and whoever asks reads the tables.
package follow
