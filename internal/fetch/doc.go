// Package fetch gets files that users name by URL, and sends what they are to be told to such
// addresses; it reaches nothing else: the
// address of each connection is checked when it is dialled, after the name was
// resolved, for the first URL and for every redirect.
//
// Without Config.Private only public addresses are reached, on the ports 80 and
// 443. A refusal never tells whether the target exists. No proxy is used, no
// credentials are sent, and an answer must come uncompressed.
package fetch
