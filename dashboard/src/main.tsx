// Where the browser begins. There is no page yet.

document.title = 'Manilla'
