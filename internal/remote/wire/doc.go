// Package wire is what remote workers and the server say to each other: Phoenix
// channels, serializer version 2. It reads and writes text and binary frames, names the
// events with their payloads, reads the grammar of slot groups, and makes and checks
// the tokens. Both sides import it; neither of them does anything here.
package wire
