package metadata
import ("testing";"time")
func TestH(t *testing.T){
 for _,n:=range []string{"1e999999999","1e20000000","-1e-20000000","1e99999999999999999999"} {
  s:=time.Now()
  o,err:=Parse([]byte(`{"a":`+n+`}`))
  if err!=nil{t.Log(err);continue}
  v:=FromObject(o)
  func(){ defer func(){ if r:=recover();r!=nil{t.Log("panic",r)}}()
  b,err:=v.Object()
  x:=""
  if err==nil {x=Text(b)}
  t.Log(n,len(x),err,time.Since(s))}()
 }
}
