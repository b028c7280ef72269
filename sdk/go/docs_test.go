package manilla_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Every exported name has a comment whose first sentence begins with it.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	for folder, name := range map[string]string{".": "manilla", "manillatest": "manillatest"} {
		files := token.NewFileSet()
		parsed, err := parser.ParseDir(files, folder, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		var sources []*ast.File
		for place, file := range parsed[name].Files {
			if !strings.HasSuffix(place, "_test.go") {
				sources = append(sources, file)
			}
		}
		documented, err := doc.NewFromFiles(files, sources, "manilla.dev/go")
		if err != nil {
			t.Fatal(err)
		}
		funcs := documented.Funcs
		for _, one := range documented.Types {
			if !strings.HasPrefix(one.Doc, one.Name+" ") && !strings.HasPrefix(one.Doc, one.Name+":") {
				t.Errorf("type %s: %q", one.Name, one.Doc)
			}
			funcs = append(append(funcs, one.Funcs...), one.Methods...)
		}
		for _, one := range funcs {
			isOfInterface := one.Name == "Error" || one.Name == "Unwrap"
			if !isOfInterface && !strings.HasPrefix(one.Doc, one.Name+" ") {
				t.Errorf("func %s%s: %q", one.Recv, one.Name, one.Doc)
			}
		}
	}
}
