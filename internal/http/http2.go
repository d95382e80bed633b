package http

import (
	"fmt"
	"go/version"
	nethttp "net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// firstSafeHTTP2 is the first Go whose HTTP/2 server a stranger cannot end: in
// those before it, a client that changes SETTINGS_HEADER_TABLE_SIZE while it asks
// for something makes the server write to one map from two goroutines.
const firstSafeHTTP2 = "go1.26.9"

// MaxHTTP2Streams is how many requests of one HTTP/2 connection are worked on at
// once, those that the client has reset among them.
const MaxHTTP2Streams = 250

// CheckHTTP2 returns an error unless HTTP/2 is safe in a program that was built
// with this Go, as runtime.Version names it.
func CheckHTTP2(goVersion string) error {
	number, _, _ := strings.Cut(goVersion, " ") // experiments may follow
	if version.IsValid(number) && version.Compare(number, firstSafeHTTP2) >= 0 {
		return nil
	}
	return fmt.Errorf("HTTP/2 needs a program built with %s or newer, because a client can crash the HTTP/2 server of older ones; this one was built with %s", firstSafeHTTP2, goVersion)
}

// refuseHTTP2 answers a client that begins with HTTP/2 while that is off. net/http
// takes the first line of its preface for a request, and closes the connection
// after the answer.
func (r *Router) refuseHTTP2(c *gin.Context) {
	if c.Request.Method == "PRI" && c.Request.ProtoMajor == 2 {
		r.fail(c, &problem{Status: nethttp.StatusHTTPVersionNotSupported, Detail: "HTTP/2 without encryption is off on this server; use HTTP/1.1"})
	}
}
