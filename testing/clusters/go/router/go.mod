module portcullis.dev/test/router

go 1.26.0
