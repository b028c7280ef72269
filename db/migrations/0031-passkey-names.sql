-- People give their passkeys other names.
grant update (name) on passkey to manilla_service;
