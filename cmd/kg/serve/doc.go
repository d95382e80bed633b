// Package serve is kg serve: its settings, the parts of a server and how they are
// connected, started, and stopped in reverse.
package serve
