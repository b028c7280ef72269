alter table rail_break validate constraint rail_break_kind_check;
