module manilla.dev/go

go 1.23
