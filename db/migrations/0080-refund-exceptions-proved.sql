alter table exception validate constraint exception_kind_check;
