alter table business validate constraint business_logo_check;
