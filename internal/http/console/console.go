// Package console is the part of the HTTP server that shows the console to browsers. Its
// pages are built from web/ by make web and are embedded in the program; they use the API
// like any other client. A program that was built without them says how to get them.
package console

import (
	"embed"
	"io/fs"
	nethttp "net/http"
	"path"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

//go:embed all:dist
var embedded embed.FS

const (
	root  = "/console/"
	index = "index.html"
	// policy has a page load and call nothing but this server, run no script that stands in
	// the page itself, and be in no frame.
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src blob:; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	missing = "This kg was built without the console: install Node 20 or newer, run make build again, and restart the server.\n"
)

// API shows the console.
type API struct{ files fs.FS }

// New returns the resource with the pages that the program was built with.
func New() *API {
	files, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return &API{files: files}
}

// Register mounts the console below /console/, and has / send browsers there.
func (a *API) Register(r *http.Router) error {
	r.Mount(root, access.Public, nethttp.HandlerFunc(a.serve))
	r.SendBrowsers(root)
	return nil
}

// serve answers with a built file, and with the page itself for every path that is one of its
// own: the page chooses by the path what it shows.
func (a *API) serve(w nethttp.ResponseWriter, r *nethttp.Request) {
	switch {
	case r.Method != nethttp.MethodGet && r.Method != nethttp.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, nethttp.StatusMethodNotAllowed, "The console is only read: use GET.\n")
		return
	case r.URL.Path+"/" == root:
		nethttp.Redirect(w, r, root, nethttp.StatusSeeOther)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), root)
	if strings.HasPrefix(name, "assets/") {
		if !a.file(w, r, name, "public, max-age=31536000, immutable") {
			plain(w, nethttp.StatusNotFound, "The console has no file of that name; load the page again.\n")
		}
		return
	}
	if name == "icon.svg" && a.file(w, r, name, "no-cache") {
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	if !a.file(w, r, index, "no-cache") {
		plain(w, nethttp.StatusNotImplemented, missing)
	}
}

// file answers with a built file, compressed where the browser takes that, and reports whether
// there is one.
func (a *API) file(w nethttp.ResponseWriter, r *nethttp.Request, name, keep string) bool {
	if info, err := fs.Stat(a.files, name); err != nil || info.IsDir() {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", keep)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if text, err := fs.ReadFile(a.files, name+".gz"); err == nil {
			h.Set("Content-Encoding", "gzip")
			write(w, r, nethttp.StatusOK, text)
			return true
		}
	}
	text, err := fs.ReadFile(a.files, name)
	if err != nil {
		return false
	}
	write(w, r, nethttp.StatusOK, text)
	return true
}

// contentType returns the type of a built file. The system's tables of types are not asked:
// they differ.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

func plain(w nethttp.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // a client that has gone needs no answer
}

func write(w nethttp.ResponseWriter, r *nethttp.Request, status int, text []byte) {
	w.WriteHeader(status)
	if r.Method != nethttp.MethodHead {
		_, _ = w.Write(text) //nolint:gosec // it is a file of the program
	}
}
